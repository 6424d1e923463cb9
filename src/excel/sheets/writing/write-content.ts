import type { BuyerPart } from '../../../catalogue/catalogue.access.js'
import type { ExportedContent } from '../../../catalogue/content/export-catalogue.js'
import type { Language } from '../../../platform/errors/language.js'
import type { Terminology } from '../../../terminology/terminology.js'
import { formatCodedValue } from '../code-labels.js'
import { DEFAULT_IDENTIFIER_COUNT } from '../columns/columns.js'
import { sheetFilterFor, sheetTables } from '../columns/sheet-tables.js'
import { type Cells, catalogueCells, cellsOf, itemCells } from './cells-of.js'
import type { SheetToWrite } from './write-workbook.js'

type Item = ExportedContent['items'][number]

export function writeContent(
  terminology: Terminology,
  { catalogue, items, annotations, whiteList }: ExportedContent,
  parts: ReadonlySet<BuyerPart>,
  language: Language
): SheetToWrite[] {
  const identifierCount = Math.max(
    DEFAULT_IDENTIFIER_COUNT,
    ...[catalogue, ...items].map(({ identifiers }) => identifiers.length)
  )
  const tables = sheetTables(identifierCount)
  const itemRows = (type: Item['type']) =>
    rows(
      items.filter((item) => item.type === type),
      (item) => itemCells(terminology, item, language)
    )
  const sheets = [
    {
      table: tables.catalogue,
      rows: rows([catalogue], (each) => catalogueCells(terminology, each, language))
    },
    { table: tables.devices, rows: itemRows('DeviceModel') },
    { table: tables.services, rows: itemRows('Service') },
    {
      table: tables.annotations,
      rows: rows(annotations, ({ item, buyer, name, value }) =>
        cellsOf([
          ['item/system', item.system],
          ['item/value', item.value],
          ['buyer', buyer],
          ['name', name],
          ['value', formatCodedValue(terminology, name, value, language)]
        ])
      )
    },
    {
      table: tables.whiteList,
      rows: rows(whiteList, ({ item, buyer }) =>
        cellsOf([
          ['item/system', item.system],
          ['item/value', item.value],
          ['buyer', buyer]
        ])
      )
    }
  ]
  return sheets
    .filter(({ table }) => sheetFilterFor(parts)(table))
    .map((sheet) => ({ ...sheet, hasExample: false }))
}

/** Generates the rows lazily, so that a large catalogue is not held twice. */
function* rows<T>(entries: readonly T[], toCells: (entry: T) => Cells): Generator<Cells> {
  for (const entry of entries) yield toCells(entry)
}
