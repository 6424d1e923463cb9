import { readFileSync } from 'node:fs'
import { accessTable, recordedApis } from './access.js'
import { replaceSection } from './markdown.js'
import { lineMoveTable, orderMoveTable } from './moves.js'
import { problemTable } from './problems.js'
import { envExample, settingTable } from './settings.js'

/** A file of the repository and the text that it should have. */
export interface GeneratedDocument {
  path: string
  text: string
}

/** The generated sections of each document, by the name in their markers. */
const sections: Readonly<Record<string, Readonly<Record<string, () => string>>>> = {
  'docs/api/errors.md': { problems: problemTable },
  'docs/domain.md': {
    'order-moves': orderMoveTable,
    'line-moves': lineMoveTable,
    ...Object.fromEntries(recordedApis.map((api) => [`access-${api}`, () => accessTable(api)]))
  },
  'docs/operations/configuration.md': { settings: settingTable }
}

/**
 * Every document that is generated, wholly or in part, with the text that the code gives it now.
 * @throws Error when a document lacks the markers of one of its sections.
 */
export function generatedDocuments(): GeneratedDocument[] {
  const documents = Object.entries(sections).map(([path, content]) => ({
    path,
    text: Object.entries(content).reduce(
      (text, [name, generate]) => replaceSection(text, name, generate()),
      readFileSync(path, 'utf8')
    )
  }))
  return [...documents, { path: '.env.example', text: envExample() }]
}
