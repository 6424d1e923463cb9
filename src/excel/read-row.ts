import type { ContentAnnotation, ContentItem, ItemName } from '../catalogue/exchange.js'
import type { Identifier } from '../platform/schemas.js'
import type { ActedSet } from '../terminology/sets.js'
import type { Terminology } from '../terminology/terminology.js'
import { meantCode, meantValue, shownCodes } from './codes.js'
import { type CellFault, faultAt, type Place } from './faults.js'
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

function text(reading: Reading, placed: PlacedRow, key: string): string | null {
  const text = placed.row.texts.get(key) ?? null
  if (text !== null && text.length > reading.longest)
    fault(reading, placed, key, 'text-too-long', `A text has ${reading.longest} characters at most.`)
  return text
}

function required(reading: Reading, placed: PlacedRow, key: string): string {
  const found = text(reading, placed, key)
  // A column that is missing is told of once, and not again in each row.
  if (found === null && placed.sheet.columns.has(key)) fault(reading, placed, key, 'required', 'Fill it in.')
  return found ?? ''
}

const fault = ({ faults }: Reading, placed: PlacedRow, key: string, code: string, detail: string) =>
  faults.push(faultAt(placeOf(placed, key), code, detail))

function code(
  reading: Reading,
  placed: PlacedRow,
  key: string,
  set: ActedSet,
  found: string | null
): string | null {
  if (found === null || found === '') return null
  const meant = meantCode(reading.terminology, set, found)
  if (meant === undefined)
    fault(
      reading,
      placed,
      key,
      'unknown-coding',
      `It must be one of: ${shownCodes(reading.terminology, set).join(', ')}.`
    )
  return meant ?? null
}

/** Reads the catalogue itself; a status that is not told is DRAFT. */
export function readCatalogue(reading: Reading, placed: PlacedRow) {
  return {
    identifiers: identifiers(reading, placed),
    name: required(reading, placed, 'name'),
    seller: required(reading, placed, 'seller'),
    status: code(reading, placed, 'status', 'catalogue-status', text(reading, placed, 'status')) ?? 'DRAFT'
  }
}

/** Reads a device or a service. Texts that it must have are asked for where it is known whether it is new. */
export function readItem(reading: Reading, placed: PlacedRow, type: ContentItem['type']): ContentItem {
  const isService = type === 'Service'
  const member = (key: string) => text(reading, placed, key)
  return {
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

/** Reads an annotation; undefined where something of it is missing or cannot be understood. */
export function readAnnotation(reading: Reading, placed: PlacedRow): ContentAnnotation | undefined {
  const item = itemName(reading, placed, 'item')
  if (!item) required(reading, placed, 'item/value')
  const buyer = required(reading, placed, 'buyer')
  const name = required(reading, placed, 'name')
  const found = required(reading, placed, 'value')
  if (/[|:]/.test(name)) fault(reading, placed, 'name', 'invalid-name', 'A name holds neither | nor :.')
  const value = name === '' || found === '' ? undefined : meantValue(reading.terminology, name, found)
  if (name !== '' && found !== '' && !value)
    fault(
      reading,
      placed,
      'value',
      'unknown-coding',
      'Choose a value that the sheet Codes has for this annotation, or write system|code.'
    )
  return item && buyer !== '' && value ? { item, buyer, name, value } : undefined
}

function itemName(reading: Reading, placed: PlacedRow, member: string): ItemName | null {
  const system = text(reading, placed, `${member}/system`)
  const value = text(reading, placed, `${member}/value`)
  if (system !== null && value === null)
    fault(reading, placed, `${member}/value`, 'required', 'Fill in the identifier, or empty its system.')
  return value === null ? null : { system, value }
}

function identifiers(reading: Reading, placed: PlacedRow): Identifier[] {
  const numbers = new Set(
    [...placed.row.texts.keys()].flatMap((key) => /^identifiers\/(\d+)\//.exec(key)?.[1] ?? [])
  )
  return [...numbers]
    .map(Number)
    .sort((one, other) => one - other)
    .map((nth) => {
      const key = `identifiers/${nth}`
      const [system, value] = (['system', 'value'] as const).map((part) =>
        text(reading, placed, `${key}/${part}`)
      )
      for (const [part, found] of [
        ['system', system],
        ['value', value]
      ] as const)
        if (found === null)
          fault(
            reading,
            placed,
            `${key}/${part}`,
            'required',
            'An identifier has a system and a value. Fill in both, or empty both.'
          )
      return { system: system ?? '', value: value ?? '', assigner: text(reading, placed, `${key}/assigner`) }
    })
}
