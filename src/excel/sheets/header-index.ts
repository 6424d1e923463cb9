import { languages, type SheetMember, type SheetTable, sheetTables } from './columns.js'

/** A sheet as it is read: all the columns that a row may have, and their keys by the forms of their headers. */
export interface HeaderIndex extends SheetTable {
  keys: ReadonlyMap<string, string>
}

type ReadableTables = Readonly<Record<SheetMember, HeaderIndex>>

const made = new WeakMap<object, ReadableTables>()

/** The sheets as a server with these limits reads them; made once, for there are thousands of columns. */
export function headerIndexes(limits: { referenceList: number }): ReadableTables {
  const known = made.get(limits)
  if (known) return known
  const { catalogue, devices, services, annotations } = sheetTables(limits.referenceList)
  const tables = {
    catalogue: readable(catalogue),
    devices: readable(devices),
    services: readable(services),
    annotations: readable(annotations)
  }
  made.set(limits, tables)
  return tables
}

const readable = (table: SheetTable): HeaderIndex => ({
  ...table,
  keys: new Map(
    table.columns.flatMap(({ key, header }) =>
      languages.map((language) => [normalizeHeader(header[language]), key] as const)
    )
  )
})

/** Headers are alike whatever their case, their spaces, and the star at those that are needed. */
export const normalizeHeader = (header: string): string =>
  header
    .replace(/\*\s*$/, '')
    .replace(/\s+/g, ' ')
    .trim()
    .toLowerCase()
