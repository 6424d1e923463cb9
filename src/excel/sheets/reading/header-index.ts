import { languages } from '../../../platform/util/accept-language.js'
import type { SheetMember, SheetTable } from '../columns/columns.js'
import { sheetTables } from '../columns/sheet-tables.js'

/** A sheet with all columns that it may have, and their keys by normalized header. */
export interface HeaderIndex extends SheetTable {
  keys: ReadonlyMap<string, string>
}

type HeaderIndexes = Readonly<Record<SheetMember, HeaderIndex>>

const cache = new WeakMap<object, HeaderIndexes>()

/** The header indexes for these limits. Cached, because there are thousands of columns. */
export function headerIndexes(limits: { referenceList: number }): HeaderIndexes {
  const known = cache.get(limits)
  if (known) return known
  const { catalogue, devices, services, annotations, whiteList } = sheetTables(limits.referenceList)
  const tables = {
    catalogue: indexHeaders(catalogue),
    devices: indexHeaders(devices),
    services: indexHeaders(services),
    annotations: indexHeaders(annotations),
    whiteList: indexHeaders(whiteList)
  }
  cache.set(limits, tables)
  return tables
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
