import { readFileSync } from 'node:fs'
import { lineMoveTable, orderMoveTable } from '../../src/order/routes/moves.docs.js'
import { codeSamples } from '../examples/code-samples.js'
import { accessTable, recordedApis } from './access.js'
import { eventTable } from './events.js'
import { exampleBlock } from './examples.js'
import { replaceSection } from './markdown.js'
import { problemTable } from './problems.js'
import { envExample, settingTable } from './settings.js'
import { claimTable, permissionTable, tokenPayload } from './tokens.js'

/** A file of the repository and its expected text. */
export interface GeneratedDocument {
  path: string
  text: string
}

/** The generated sections of each document, by their names in the markers. */
const sections: Readonly<Record<string, Readonly<Record<string, () => string>>>> = {
  'docs/api/errors.md': { problems: problemTable },
  'docs/api/applications.md': {
    order: () => exampleBlock('order.ts'),
    provider: () => exampleBlock('provider.ts'),
    clerk: () => exampleBlock('clerk.ts')
  },
  'docs/api/events.md': {
    'event-types': eventTable,
    consumer: () => exampleBlock('consumer.ts'),
    receiver: () => exampleBlock('receiver.ts')
  },
  'docs/domain.md': {
    'order-moves': orderMoveTable,
    'line-moves': lineMoveTable,
    ...Object.fromEntries(recordedApis.map((api) => [`access-${api}`, () => accessTable(api)]))
  },
  'docs/operations/configuration.md': { settings: settingTable },
  'docs/operations/tokens.md': {
    claims: claimTable,
    payload: tokenPayload,
    permissions: permissionTable
  }
}

/**
 * Every document with generated parts, with its up-to-date text.
 * @throws Error if a document lacks the markers of a section.
 */
export function generatedDocuments(): GeneratedDocument[] {
  const documents = Object.entries(sections).map(([path, content]) => ({
    path,
    text: Object.entries(content).reduce(
      (text, [name, generate]) => replaceSection(text, name, generate()),
      readFileSync(path, 'utf8')
    )
  }))
  const samples = `${JSON.stringify(codeSamples(), null, 2)}\n`
  return [
    ...documents,
    { path: '.env.example', text: envExample() },
    { path: 'examples/code-samples.json', text: samples }
  ]
}
