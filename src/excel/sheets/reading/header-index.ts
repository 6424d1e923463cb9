import { languages } from '../../../platform/errors/language.js'
import { inputLimits } from '../../../platform/json/input-limits.js'
import type { SheetMember, SheetTable } from '../columns/columns.js'
import { sheetTables } from '../columns/sheet-tables.js'

/** A sheet with all columns that it may have, and their keys by normalized header. */
export interface HeaderIndex extends SheetTable {
  keys: ReadonlyMap<string, string>
}

let indexes: ReadonlyMap<SheetMember, HeaderIndex> | undefined

/** The header indexes of all sheets. Made once, because there are thousands of columns. */
export function headerIndexes(): ReadonlyMap<SheetMember, HeaderIndex> {
  indexes ??= new Map(
    Object.values(sheetTables(inputLimits.list)).map((table) => [table.member, indexHeaders(table)])
  )
  return indexes
}

const indexHeaders = (table: SheetTable): HeaderIndex => ({
  ...table,
  keys: new Map(
    table.columns.flatMap(({ key, header }) =>
      languages.map((language) => [normalizeHeader(header[language]), key] as const)
    )
  )
})

/** Ignores case, surplus spaces and the star of a required header. */
export const normalizeHeader = (header: string): string =>
  header
    .replace(/\*\s*$/, '')
    .replace(/\s+/g, ' ')
    .trim()
    .toLowerCase()
