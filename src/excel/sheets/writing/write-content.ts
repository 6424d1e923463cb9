import type { ExportedContent } from '../../../catalogue/bulk/export-catalogue.js'
import type { Identifier } from '../../../platform/schemas/schemas.js'
import type { Terminology } from '../../../terminology/terminology.js'
import { formatCode, formatCodedValue } from '../code-labels.js'
import { DEFAULT_IDENTIFIER_COUNT } from '../columns/columns.js'
import { sheetTables } from '../columns/sheet-tables.js'
import type { SheetToWrite } from './write-workbook.js'

type Cells = [key: string, text: string | null][]
type Item = ExportedContent['items'][number]

/** Converts the content of a catalogue to sheets, with annotations if the caller may annotate. */
export function writeContent(
  terminology: Terminology,
  { catalogue, items, annotations }: ExportedContent,
  isAnnotator: boolean
): SheetToWrite[] {
  const identifierCount = Math.max(
    DEFAULT_IDENTIFIER_COUNT,
    ...[catalogue, ...items].map(({ identifiers }) => identifiers.length)
  )
  const tables = sheetTables(identifierCount)
  const itemRows = (type: Item['type']) =>
    rows(
      items.filter((item) => item.type === type),
      (item) => itemCells(terminology, item)
    )
  const sheets = [
    {
      table: tables.catalogue,
      rows: rows([catalogue], ({ name, seller, status, identifiers }) => [
        ['name', name],
        ['seller', seller],
        ['status', formatCode(terminology, 'catalogue-status', status)],
        ...identifierCells(identifiers)
      ])
    },
    { table: tables.devices, rows: itemRows('DeviceModel') },
    { table: tables.services, rows: itemRows('Service') },
    {
      table: tables.annotations,
      rows: rows(annotations, ({ item, buyer, name, value }) => [
        ['item/system', item.system],
        ['item/value', item.value],
        ['buyer', buyer],
        ['name', name],
        ['value', formatCodedValue(terminology, name, value)]
      ])
    }
  ]
  return sheets
    .filter(({ table }) => isAnnotator || table.member !== 'annotations')
    .map((sheet) => ({ ...sheet, hasExample: false }))
}

function itemCells(terminology: Terminology, item: Item): Cells {
  const { name, description, manufacturer, model, version, serviceType, relatedTo } = item
  return [
    ...identifierCells(item.identifiers),
    ['name', name],
    ['description', description],
    ['status', formatCode(terminology, 'catalogue-item-status', item.status)],
    ['manufacturer', manufacturer],
    ['model', model],
    ['version', version],
    ['serviceType', serviceType && formatCode(terminology, 'service-type', serviceType)],
    ['relatedTo/system', relatedTo?.system ?? null],
    ['relatedTo/value', relatedTo?.value ?? null]
  ]
}

const identifierCells = (identifiers: readonly Identifier[]): Cells =>
  identifiers.flatMap(
    ({ system, value, assigner }, at): Cells => [
      [`identifiers/${at}/system`, system],
      [`identifiers/${at}/value`, value],
      [`identifiers/${at}/assigner`, assigner]
    ]
  )

/** Generates the rows lazily, so that a large catalogue is not held twice. */
function* rows<T>(
  entries: readonly T[],
  cellsOf: (entry: T) => Cells
): Generator<ReadonlyMap<string, string>> {
  for (const entry of entries)
    yield new Map(
      cellsOf(entry).filter((cell): cell is [string, string] => cell[1] !== null && cell[1] !== '')
    )
}
