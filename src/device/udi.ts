import { calendarDate } from '../platform/dates/calendar-date.js'
import { gtinOf } from '../platform/text/numbers.js'

/** The numbers of a device that its UDI may contain. */
export const numbersOfUdi = ['serialNumber', 'lotNumber', 'expiryDate'] as const

export type UdiContent = Partial<Record<'gtin' | (typeof numbersOfUdi)[number], string>>

type Field = [identifier: string, value: string]

/**
 * Characters of fields that need no separator, with their identifier, by its first two digits: the
 * predefined lengths of the GS1 General Specifications.
 */
const fixedLengths: Readonly<Record<string, number>> = {
  ...{ '00': 20, '01': 16, '02': 16, '03': 16, '04': 18, '20': 4, '41': 16 },
  ...Object.fromEntries(['11', '12', '13', '14', '15', '16', '17', '18', '19'].map((each) => [each, 8])),
  ...Object.fromEntries(['31', '32', '33', '34', '35', '36'].map((each) => [each, 10]))
}

/** A lot or serial number that may have run into the next field, a date or another number. */
const date = '1[17]\\d\\d(?:0\\d|1[0-2])[0-3]\\d'
const runOn: Readonly<Record<string, RegExp>> = {
  '10': new RegExp(`.(?:21.|240.|${date}|.{20})`),
  '21': new RegExp(`.(?:10.|240.|${date}|.{20})`)
}

/**
 * Reads a GS1 string: as scanned, with or without the prefix of the scanner, or with parentheses.
 * Reads no numbers from other UDIs (HIBCC, ICCBBA) and from invalid GS1 strings. From a string
 * without separators it reads no lot or serial number that may have run into the next field.
 * @param year determines the century of dates.
 */
export function readUdi(udi: string, year: number): UdiContent {
  // CSV has a space for the separator U+001D, and no value has a space.
  const text = udi.replaceAll('\u001d', ' ').replace(/^\](C1|d2|Q3|e0)/, ' ')
  if (/^ ?\(/.test(text)) return contentOf(labelledFields(text), year)
  return /^( |01)/.test(text) ? contentOf(scannedFields(text.trimStart()), year) : {}
}

/** The fields of `(01)05712345678909(10)LOT-7`. */
function labelledFields(text: string): Field[] {
  const [, ...parts] = text.split(/\((\d{2,4})\)/)
  return parts.flatMap((part, at) => (at % 2 === 0 ? [[part, (parts[at + 1] ?? '').trim()]] : []))
}

/** The fields of `010571234567890910LOT-7`; no fields if one of them has another form. */
function scannedFields(text: string): Field[] {
  const fields: Field[] = []
  for (let rest = text; rest !== ''; ) {
    const identifier = rest.slice(0, 2)
    const length = fixedLengths[identifier]
    const end = length ?? `${rest} `.indexOf(' ')
    const field = rest.slice(0, end)
    if (!(length ? /^\d+$/.test(field) && field.length === length : /^\d\d./.test(field))) return []
    const value = field.slice(2)
    if (text.includes(' ') || !runOn[identifier]?.test(value)) fields.push([identifier, value])
    rest = rest.slice(end).trimStart()
  }
  return fields
}

/** What fields say. Empty if a value is invalid. */
function contentOf(fields: readonly Field[], year: number): UdiContent {
  const content: UdiContent = {}
  for (const [identifier, value] of fields) {
    const reader = readers[identifier]
    const read = reader?.read(value, year)
    if (reader && read === undefined) return {}
    if (reader?.name && read) content[reader.name] = read
  }
  return content
}

interface Reader {
  /** Undefined for a value that is only checked. */
  name?: keyof UdiContent
  read(value: string, year: number): string | undefined
}

const ofAnyText = (value: string) => (/^.{1,20}$/.test(value) ? value : undefined)

const readers: Readonly<Record<string, Reader>> = {
  '01': { name: 'gtin', read: (value) => (value.length === 14 ? gtinOf(value) : undefined) },
  '10': { name: 'lotNumber', read: ofAnyText },
  '11': { read: dayOrMonth },
  '17': { name: 'expiryDate', read: dayOrMonth },
  '21': { name: 'serialNumber', read: ofAnyText }
}

/** A date `yymmdd`, 49 years before the year to 50 years after it. Without a day it is a month. */
function dayOrMonth(text: string, year: number): string | undefined {
  if (!/^\d{6}$/.test(text)) return undefined
  const [yy, month, day] = [0, 2, 4].map((at) => Number(text.slice(at, at + 2))) as [number, number, number]
  const difference = yy - (year % 100)
  const century = difference > 50 ? -100 : difference < -49 ? 100 : 0
  const found = calendarDate([year + difference + century, month, day || 1])
  return day === 0 ? found?.slice(0, 7) : found
}
