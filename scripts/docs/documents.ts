import { readFileSync } from 'node:fs'
import { lineTransitionTable, orderTransitionTable } from '../../src/order/routes/order.docs.js'
import { type ApiDocuments, documentedApis } from '../api-documents.js'
import { accessTable } from './access.js'
import { entityDiagram } from './entities.js'
import { eventTable } from './events.js'
import { replaceSection } from './markdown.js'
import { operationList } from './operations.js'
import { problemTable } from './problems.js'
import { settingTable } from './settings.js'
import { slotTable } from './slots.js'
import { claimTable, permissionTable } from './tokens.js'

/** A file of the repository and its expected text. */
export interface GeneratedDocument {
  path: string
  text: string
}

/** The generated sections of each document, by their names in the markers. */
type Sections = Readonly<Record<string, Readonly<Record<string, () => string>>>>

const sectionsOf = (documents: ApiDocuments): Sections => ({
  'docs/api/errors.md': { problems: () => problemTable(documents) },
  'docs/api/events.md': { 'event-types': () => eventTable(documents) },
  'docs/domain.md': {
    entities: entityDiagram,
    'order-transitions': orderTransitionTable,
    'line-transitions': lineTransitionTable,
    ...Object.fromEntries(documentedApis.map((api) => [`access-${api}`, () => accessTable(documents, api)]))
  },
  'docs/operations/configuration.md': { slots: slotTable, settings: settingTable },
  'docs/operations/tokens.md': { claims: claimTable, permissions: permissionTable }
})

/**
 * Every document with generated parts, with its up-to-date text.
 * @throws Error if a document lacks the markers of a section.
 */
export function generatedDocuments(documents: ApiDocuments): GeneratedDocument[] {
  const pages = Object.entries(sectionsOf(documents)).map(([path, content]) => ({
    path,
    text: Object.entries(content).reduce(
      (text, [name, generate]) => replaceSection(text, name, generate()),
      readFileSync(path, 'utf8')
    )
  }))
  return [...pages, { path: 'docs/api/operations.txt', text: operationList(documents) }]
}
