import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { importableParts } from '../catalogue/catalogue.access.js'
import { exportCatalogue } from '../catalogue/content/export-catalogue.js'
import type { Call } from '../platform/auth/call.js'
import type { Language } from '../platform/errors/language.js'
import type { Ports } from '../ports.js'
import { DEFAULT_IDENTIFIER_COUNT } from './sheets/columns/columns.js'
import { sheetFilterFor, sheetTables } from './sheets/columns/sheet-tables.js'
import { dropdownListsForCaller } from './sheets/writing/dropdown-lists.js'
import { writeContent } from './sheets/writing/write-content.js'
import { writeWorkbook } from './sheets/writing/write-workbook.js'

/** Writes an empty workbook for the caller to fill in, with an example in each sheet. */
export async function createTemplate(ports: Ports, call: Call, language: Language): Promise<Readable> {
  const parts = importableParts(call)
  const sheets = Object.values(sheetTables(DEFAULT_IDENTIFIER_COUNT))
    .filter(sheetFilterFor(parts))
    .map((table) => ({ table, rows: [], hasExample: true }))
  const lists = await dropdownListsForCaller(ports, call, parts, language)
  return writeWorkbook({ language, sheets, lists, listRows: ports.limits.bulkItems })
}

/**
 * Writes a catalogue as a workbook, which can be edited and imported again. The workbook is
 * complete before it is sent, so that a slow reader does not keep the catalogue in memory.
 * @throws Problem `not-found`.
 */
export async function exportWorkbook(
  ports: Ports,
  call: Call,
  id: string,
  language: Language
): Promise<Buffer> {
  const parts = importableParts(call)
  const content = await exportCatalogue(ports, call, id, parts)
  const sheets = writeContent(ports.terminology, content, parts, language)
  const lists = await dropdownListsForCaller(ports, call, parts, language)
  const listRows = content.items.length + ports.limits.bulkItems
  return buffer(writeWorkbook({ language, sheets, lists, listRows }))
}
