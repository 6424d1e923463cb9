/** What a number format makes of a number, as far as it matters here. */
export interface NumberLook {
  isDate: boolean
  /** How many digits are shown at least, where the format consists of zeros alone: 5 for 00000; otherwise 0. */
  digits: number
}

const plain: NumberLook = { isDate: false, digits: 0 }
const date: NumberLook = { isDate: true, digits: 0 }

/** Digits that a cell can show; longer formats are a jest. */
const mostDigits = 100

/** The formats that every spreadsheet program knows by number (ECMA-376 part 1, 18.8.30), where they show dates. */
export function lookOfBuiltIn(id: number): NumberLook {
  const isDate =
    (id >= 14 && id <= 22) ||
    (id >= 27 && id <= 36) ||
    id === 45 ||
    id === 47 ||
    (id >= 50 && id <= 58) ||
    (id >= 71 && id <= 81)
  return isDate ? date : plain
}

/** What a format's code says; of its sections, the one for positive numbers. A time that has passed, such as [h]:mm, is no date. */
export function lookOfCode(code: string): NumberLook {
  const bare = code.slice(0, 255).replace(/"[^"]*"|\\.|[_*].|General/gi, '')
  const [section = ''] = bare.split(';')
  if (/\[(h+|m+|s+)\]/i.test(section)) return plain
  const marks = section.replace(/\[[^\]]*\]/g, '').trim()
  if (/[dmyhs]/i.test(marks)) return date
  return /^0{2,}$/.test(marks) ? { isDate: false, digits: Math.min(marks.length, mostDigits) } : plain
}

/** A number as it stands in its cell, but that rounding and separators are left out. */
export function shown(value: number, digits: number): string {
  if (digits === 0 || !Number.isSafeInteger(value)) return String(value)
  const padded = String(Math.abs(value)).padStart(digits, '0')
  return value < 0 ? `-${padded}` : padded
}
