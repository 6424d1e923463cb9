import { format, isDateFormat, isValidFormat } from 'numfmt'
import type { Archive } from './archive.js'
import { builtInFormats } from './built-in-formats.js'
import { readXml } from './xml.js'

export interface NumberFormat {
  code: string
  isDate: boolean
}

export interface ShownNumber {
  /** `number` if the text consists of the digits of the number, `formatted` for any other text. */
  kind: 'number' | 'formatted' | 'date'
  text: string
}

/** Maximum characters of a format code in Excel, which limits the leading zeros of a number. */
const MAX_CODE_CHARACTERS = 255

/** Parses a format code. An invalid code has no effect. A duration such as [h]:mm is not a date. */
function parseFormat(sent: string): NumberFormat {
  const code = sent.slice(0, MAX_CODE_CHARACTERS)
  if (!isValidFormat(code)) return general
  return { code, isDate: isDateFormat(code) && !/\[(h+|m+|s+)\]/i.test(code) }
}

const general: NumberFormat = { code: 'General', isDate: false }

/** A number as its cell shows it, in the notation of English. Plain numbers have no separators. */
export function showNumber(value: number, { code, isDate }: NumberFormat = general): ShownNumber {
  const digits = digitsOf(value, sectionFor(value, code))
  if (digits !== undefined) return { kind: 'number', text: digits }
  const text = format(code, value, { throws: false }).trim()
  return { kind: isDate && isValidSerial(value) ? 'date' : 'formatted', text }
}

/** The section of a format code that applies to a number. */
function sectionFor(value: number, code: string): string {
  const [positive = '', negative = positive, zero = positive] = code.split(';')
  return value > 0 ? positive : value < 0 ? negative : zero
}

/** The digits of a number, if the section shows all digits and otherwise only separators. */
function digitsOf(value: number, section: string): string | undefined {
  if (/^(general|@)$/i.test(section)) return String(value)
  if (!/^(0+|#,##0)$/.test(section) || !Number.isSafeInteger(value)) return undefined
  const zeros = section.includes('#') ? 0 : section.length
  return (value < 0 ? '-' : '') + String(Math.abs(value)).padStart(zeros, '0')
}

/** Reads the number formats of the cell styles, by style index. */
export async function readStyles(archive: Archive, part: string | undefined): Promise<NumberFormat[]> {
  const codes = new Map(builtInFormats)
  const formats: NumberFormat[] = []
  if (part === undefined || !archive.has(part)) return formats
  let list = ''
  await readXml(archive.open(part), {
    open(element, { numFmtId = '0', formatCode = '' }) {
      if (element === 'numFmts' || element === 'cellXfs') list = element
      else if (list === 'numFmts' && element === 'numFmt') codes.set(Number(numFmtId), formatCode)
      else if (list === 'cellXfs' && element === 'xf')
        formats.push(parseFormat(codes.get(Number(numFmtId)) ?? general.code))
    },
    close(element) {
      if (element === list) list = ''
    }
  })
  return formats
}

const DAY_MS = 86_400_000
/** Day 0 of Excel, for the days from March 1900. */
const EPOCH_MS = Date.UTC(1899, 11, 30)
/** 9999-12-31, the last day in Excel. */
const MAX_SERIAL = 2_958_465
/** Day 0 of workbooks that count from 1904, as on old Macs. */
const OFFSET_1904_DAYS = 1_462

/** Whether a number is in the range of dates and times. */
const isValidSerial = (serial: number) => serial >= 0 && serial < MAX_SERIAL + 1

/** Converts a 1904 serial to the usual serial. Times of day stay as they are. */
export const convert1904Serial = (serial: number) => (serial < 1 ? serial : serial + OFFSET_1904_DAYS)

/** Parses an ISO 8601 date of a cell of type `d` to a serial; undefined for other texts. */
export function parseIsoDate(text: string): number | undefined {
  if (!/^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?)?Z?$/.test(text)) return undefined
  const time = Date.parse(/[TZ]/.test(text) ? `${text.replace('Z', '')}Z` : text)
  const serial = (time - EPOCH_MS) / DAY_MS
  return Number.isNaN(time) || serial < 61 || !isValidSerial(serial) ? undefined : serial
}
