import type {
  ContentItem,
  ItemName,
  OmittedColumns,
  PartialAnnotation
} from '../../catalogue/bulk/catalogue-content.js'
import type { Identifier } from '../../platform/schemas/schemas.js'
import { growsBeyond } from '../../platform/util/search-text.js'
import type { LocalValueSet } from '../../terminology/local-value-sets.js'
import type { Terminology } from '../../terminology/terminology.js'
import { type CellFault, faultAt, type Place } from './cell-faults.js'
import { formatCodes, parseCode, parseCodedValue } from './code-labels.js'
import type { ReadSheet, SheetRow } from './sheet-rows.js'

/** What reading rows needs, and where it puts what is wrong with them. */
export interface Reading {
  terminology: Terminology
  /** Characters of a text at most. */
  longest: number
  faults: CellFault[]
}

/** A row, and the sheet that it is in. */
export interface PlacedRow {
  sheet: ReadSheet
  row: SheetRow
}

/** The cell of a row that holds a member, or its value where that has several cells; the row's first one where no column does. */
export function placeOf({ sheet, row }: PlacedRow, member: string): Place {
  const key = [member, `${member}/value`].find((each) => sheet.columns.has(each)) ?? member
  const column = sheet.columns.get(key)
  return {
    sheet: sheet.name,
    row: row.number,
    column: column?.number ?? 1,
    header: column?.header ?? null,
    found: row.texts.get(key) ?? null
  }
}

function text(reading: Reading, placed: PlacedRow, key: string, longest = reading.longest): string | null {
  const text = placed.row.texts.get(key) ?? null
  // Counted as elsewhere: 💓 is one.
  if (text !== null && text.length > longest && [...text].length > longest)
    fault(reading, placed, key, 'text-too-long', `A text has ${longest} characters at most.`)
  else if (text !== null && growsBeyond(longest, text))
    fault(
      reading,
      placed,
      key,
      'text-too-long',
      `A text has ${longest} characters at most, also when it is normalized (Unicode NFKD).`
    )
  return text
}

function required(
  reading: Reading,
  placed: PlacedRow,
  key: string,
  longest = reading.longest
): string | undefined {
  const found = text(reading, placed, key, longest) ?? undefined
  // A column that is missing is told of once, and not again in each row.
  if (found === undefined && placed.sheet.columns.has(key))
    fault(reading, placed, key, 'text-required', 'Fill it in.')
  return found
}

/** A cell that cannot be read is told of already. */
function fault({ faults }: Reading, placed: PlacedRow, key: string, code: string, detail: string): void {
  if (!placed.row.unreadable.has(key)) faults.push(faultAt(placeOf(placed, key), code, detail))
}

function code(
  reading: Reading,
  placed: PlacedRow,
  key: string,
  set: LocalValueSet,
  found: string | null | undefined
): string | null {
  if (found === null || found === undefined) return null
  const meant = parseCode(reading.terminology, set, found)
  if (meant === undefined)
    fault(
      reading,
      placed,
      key,
      'unknown-coding',
      `It must be one of: ${formatCodes(reading.terminology, set).join(', ')}.`
    )
  return meant ?? null
}

const untoldOf = new WeakMap<ReadSheet, OmittedColumns>()

/** What the sheet has no columns for; all of its rows share it. */
function untoldIn(sheet: ReadSheet): OmittedColumns {
  const known = untoldOf.get(sheet) ?? findUntold(sheet)
  untoldOf.set(sheet, known)
  return known
}

function findUntold({ columns }: ReadSheet): OmittedColumns {
  const members = {
    description: 'description',
    version: 'version',
    status: 'status',
    relatedTo: 'relatedTo/value'
  } as const
  const omitted = (Object.keys(members) as (keyof typeof members)[]).filter(
    (member) => !columns.has(members[member])
  )
  const numbers = [...columns.keys()].flatMap((key) => /^identifiers\/(\d+)\/value$/.exec(key)?.[1] ?? [])
  return {
    omitted,
    identifierColumnCount: numbers.reduce((room, number) => Math.max(room, Number(number) + 1), 0)
  }
}

/** Reads the catalogue itself; a status that is not told is DRAFT. Whether its name may be empty is known where it is known how it was. */
export function readCatalogue(reading: Reading, placed: PlacedRow) {
  return {
    ...untoldIn(placed.sheet),
    identifiers: identifiers(reading, placed),
    name: text(reading, placed, 'name') ?? '',
    seller: required(reading, placed, 'seller') ?? '',
    status: code(reading, placed, 'status', 'catalogue-status', text(reading, placed, 'status')) ?? 'DRAFT'
  }
}

/** Reads a device or a service. Texts that it must have are asked for where it is known whether it is new. */
export function readItem(reading: Reading, placed: PlacedRow, type: ContentItem['type']): ContentItem {
  const isService = type === 'Service'
  const member = (key: string) => text(reading, placed, key)
  return {
    ...untoldIn(placed.sheet),
    type,
    identifiers: identifiers(reading, placed),
    name: member('name') ?? '',
    description: member('description'),
    status: code(reading, placed, 'status', 'catalogue-item-status', member('status')) ?? 'AVAILABLE',
    manufacturer: isService ? null : (member('manufacturer') ?? ''),
    model: isService ? null : (member('model') ?? ''),
    version: isService ? null : member('version'),
    serviceType: isService
      ? code(reading, placed, 'serviceType', 'service-type', required(reading, placed, 'serviceType'))
      : null,
    relatedTo: isService ? itemName(reading, placed, 'relatedTo') : null
  }
}

/** Characters of the name of an annotation. */
const longestName = 255

/** Reads an annotation; what is missing of it, or cannot be understood, is undefined. */
export function readAnnotation(reading: Reading, placed: PlacedRow): PartialAnnotation {
  const item = itemName(reading, placed, 'item')
  if (!item && !placed.row.texts.has('item/system')) required(reading, placed, 'item/value')
  const buyer = required(reading, placed, 'buyer')
  const name = required(reading, placed, 'name', longestName)
  if (name !== undefined && /[|:\n\t]/.test(name))
    fault(reading, placed, 'name', 'invalid-name', 'A name holds neither | nor : nor a line break.')
  const found = required(reading, placed, 'value')
  const value = found === undefined ? undefined : parseCodedValue(reading.terminology, name ?? '', found)
  if (found !== undefined && name !== undefined && !value)
    fault(
      reading,
      placed,
      'value',
      'unknown-coding',
      'Choose a value that the sheet Codes has for this annotation, or write system|code.'
    )
  return { item: item ?? undefined, buyer, name, value }
}

function itemName(reading: Reading, placed: PlacedRow, member: string): ItemName | null {
  const system = text(reading, placed, `${member}/system`)
  const value = text(reading, placed, `${member}/value`)
  if (system !== null && value === null)
    fault(reading, placed, `${member}/value`, 'text-required', 'Fill in the identifier, or empty its system.')
  return value === null ? null : { system, value }
}

/** The numbers of the identifiers of which a row tells something, as the columns have them. */
export const identifierNumbers = ({ texts }: SheetRow): number[] =>
  [
    ...new Set(
      texts
        .keys()
        .flatMap((key) => /^identifiers\/(\d+)\//.exec(key)?.[1] ?? [])
        .map(Number)
    )
  ].sort((one, other) => one - other)

/** Whether one may lack its system or its value is known where it is known how it was. */
const identifiers = (reading: Reading, placed: PlacedRow): Identifier[] =>
  identifierNumbers(placed.row).map((nth) => {
    const part = (name: string) => text(reading, placed, `identifiers/${nth}/${name}`)
    return { system: part('system') ?? '', value: part('value') ?? '', assigner: part('assigner') }
  })
