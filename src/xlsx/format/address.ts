/** The last column (XFD) and row of a sheet in ECMA-376. */
export const MAX_COLUMN = 16_384
export const MAX_ROW = 1_048_576

/** The letters of a column, such as AB, by its number from 1. */
export function columnLetters(column: number): string {
  let letters = ''
  for (let rest = column; rest > 0; rest = Math.floor((rest - 1) / 26))
    letters = String.fromCharCode(65 + ((rest - 1) % 26)) + letters
  return letters
}

/** The address of a cell, such as C7. */
export const addressOf = (column: number, row: number) => `${columnLetters(column)}${row}`

/** Parses an address such as C7; undefined for other texts and for addresses outside a sheet. */
export function parseAddress(address: string): { column: number; row: number } | undefined {
  let column = 0
  let at = 0
  for (; at < address.length; at++) {
    const letter = address.charCodeAt(at) - 64
    if (letter < 1 || letter > 26) break
    column = column * 26 + letter
    if (column > MAX_COLUMN) return undefined
  }
  const row = parseRow(address.slice(at))
  return column === 0 || row === undefined ? undefined : { column, row }
}

/** Parses a row number; undefined for other texts and for rows outside a sheet. */
export function parseRow(text: string): number | undefined {
  const row = /^[1-9]\d{0,6}$/.test(text) ? Number(text) : 0
  return row >= 1 && row <= MAX_ROW ? row : undefined
}
