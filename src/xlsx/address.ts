/** How far a sheet goes, by ECMA-376: to column XFD and row 1,048,576. */
export const lastColumn = 16_384
export const lastRow = 1_048_576

/** A column's number, from 1, as the letters that stand above it. */
export function lettersOf(column: number): string {
  let letters = ''
  for (let rest = column; rest > 0; rest = Math.floor((rest - 1) / 26))
    letters = String.fromCharCode(65 + ((rest - 1) % 26)) + letters
  return letters
}

/** A cell's name, such as C7. */
export const addressOf = (column: number, row: number) => `${lettersOf(column)}${row}`

/** The column and row of a cell's name; undefined where there can be no such cell. */
export function placeOf(address: string): { column: number; row: number } | undefined {
  let column = 0
  let at = 0
  for (; at < address.length; at++) {
    const letter = address.charCodeAt(at) - 64
    if (letter < 1 || letter > 26) break
    column = column * 26 + letter
    if (column > lastColumn) return undefined
  }
  const row = rowOf(address.slice(at))
  return column === 0 || row === undefined ? undefined : { column, row }
}

/** A row's number; undefined where there can be no such row. */
export function rowOf(text: string): number | undefined {
  const row = /^[1-9]\d{0,6}$/.test(text) ? Number(text) : 0
  return row >= 1 && row <= lastRow ? row : undefined
}
