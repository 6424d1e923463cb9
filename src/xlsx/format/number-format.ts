import type { Archive } from './archive.js'
import { readXml } from './xml.js'

/** The properties of a number format that decide how a cell reads. */
export interface NumberFormat {
  isDate: boolean
  /** Minimum number of digits if the format consists only of zeros (5 for 00000), else 0. */
  digits: number
}

const plain: NumberFormat = { isDate: false, digits: 0 }
const date: NumberFormat = { isDate: true, digits: 0 }

/** Bounds the zero padding of a number. */
const MAX_DIGITS = 100

/** A built-in number format by its id (ECMA-376 part 1, 18.8.30). */
function builtInFormat(id: number): NumberFormat {
  const isDate =
    (id >= 14 && id <= 22) ||
    (id >= 27 && id <= 36) ||
    id === 45 ||
    id === 47 ||
    (id >= 50 && id <= 58) ||
    (id >= 71 && id <= 81)
  return isDate ? date : plain
}

/**
 * Parses the first section of a format code, for positive numbers. A duration such as [h]:mm is not
 * a date.
 */
function parseFormatCode(code: string): NumberFormat {
  const bare = code.slice(0, 255).replace(/"[^"]*"|\\.|[_*].|General/gi, '')
  const [section = ''] = bare.split(';')
  if (/\[(h+|m+|s+)\]/i.test(section)) return plain
  const marks = section.replace(/\[[^\]]*\]/g, '').trim()
  if (/[dmyhs]/i.test(marks)) return date
  return /^0{2,}$/.test(marks) ? { isDate: false, digits: Math.min(marks.length, MAX_DIGITS) } : plain
}

/** A number as its cell shows it, without rounding and separators. */
export function formatNumber(value: number, digits: number): string {
  if (digits === 0 || !Number.isSafeInteger(value)) return String(value)
  const padded = String(Math.abs(value)).padStart(digits, '0')
  return value < 0 ? `-${padded}` : padded
}

/** Reads the number formats of the cell styles, by style index. */
export async function readStyles(archive: Archive, part: string | undefined): Promise<NumberFormat[]> {
  const own = new Map<string, NumberFormat>()
  const formats: NumberFormat[] = []
  if (part === undefined || !archive.has(part)) return formats
  let list = ''
  await readXml(archive.open(part), {
    open(element, { numFmtId = '0', formatCode = '' }) {
      if (element === 'numFmts' || element === 'cellXfs') list = element
      else if (list === 'numFmts' && element === 'numFmt') own.set(numFmtId, parseFormatCode(formatCode))
      else if (list === 'cellXfs' && element === 'xf')
        formats.push(own.get(numFmtId) ?? builtInFormat(Number(numFmtId)))
    },
    close(element) {
      if (element === list) list = ''
    }
  })
  return formats
}

const DAY_MS = 86_400_000
/**
 * Day 0. Excel counts the nonexistent 29 February 1900, so earlier days count from one day later.
 */
const EPOCH_MS = Date.UTC(1899, 11, 30)
/** 9999-12-31, the last day in Excel. */
const MAX_SERIAL = 2_958_465
/** Day 0 of workbooks that count from 1904, as on old Macs. */
const OFFSET_1904_DAYS = 1_462

/** Whether a number is in the range of dates and times. */
export const isValidSerial = (serial: number) => serial >= 0 && serial < MAX_SERIAL + 1

/** Converts a 1904 serial to the usual one. Times of day stay as they are. */
export const from1904 = (serial: number) => (serial < 1 ? serial : serial + OFFSET_1904_DAYS)

/**
 * Formats a serial as 2026-11-21, 2026-11-21T10:15:00 or 10:15:00. Workbooks have no time zones.
 */
export function formatSerial(serial: number): string {
  const seconds = Math.round(serial * 86_400)
  const days = Math.floor(seconds / 86_400)
  const time = new Date((seconds % 86_400) * 1000).toISOString().slice(11, 19)
  if (days === 0) return time
  const on = new Date(EPOCH_MS + (days + (days < 60 ? 1 : 0)) * DAY_MS).toISOString().slice(0, 10)
  return time === '00:00:00' ? on : `${on}T${time}`
}

/** Parses an ISO 8601 date of a cell of type `d` to a serial; undefined if it is not one. */
export function parseIsoDate(text: string): number | undefined {
  if (!/^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?)?Z?$/.test(text)) return undefined
  const time = Date.parse(/[TZ]/.test(text) ? `${text.replace('Z', '')}Z` : text)
  const serial = (time - EPOCH_MS) / DAY_MS
  return Number.isNaN(time) || serial < 61 || !isValidSerial(serial) ? undefined : serial
}
