import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { exportCatalogue } from '../catalogue/bulk/export-catalogue.js'
import { mayAnnotate } from '../catalogue/bulk/import-catalogue.js'
import type { Actor } from '../platform/auth/actor.js'
import type { Ports } from '../ports.js'
import { type Language, sheetTables, usualIdentifiers } from './sheets/columns.js'
import { dropdownListsFor } from './sheets/dropdown-lists.js'
import { writeContent } from './sheets/write-content.js'
import { writeWorkbook } from './sheets/write-workbook.js'

/** An empty workbook for the caller to fill in, with an example in each sheet. */
export async function templateWorkbook(ports: Ports, actor: Actor, language: Language): Promise<Readable> {
  const isAnnotator = mayAnnotate(actor)
  const sheets = Object.values(sheetTables(usualIdentifiers))
    .filter(({ member }) => isAnnotator || member !== 'annotations')
    .map((table) => ({ table, rows: [], hasExample: true }))
  const lists = await dropdownListsFor(ports, actor, isAnnotator)
  return writeWorkbook({ language, sheets, lists, listRows: ports.limits.bulkItems })
}

/**
 * A catalogue as a workbook: to be read, and to be changed and imported again. It is made whole before it is sent, so that a caller
 * who receives slowly does not keep the catalogue in memory.
 * @throws Problem `not-found`.
 */
export async function exportedWorkbook(
  ports: Ports,
  actor: Actor,
  id: string,
  language: Language
): Promise<Buffer> {
  const isAnnotator = mayAnnotate(actor)
  const content = await exportCatalogue(ports, actor, id, isAnnotator)
  const sheets = writeContent(ports.terminology, content, isAnnotator)
  const lists = await dropdownListsFor(ports, actor, isAnnotator)
  return buffer(writeWorkbook({ language, sheets, lists, listRows: ports.limits.bulkItems }))
}
