import { addressOf, MAX_COLUMN, MAX_ROW, parseAddress, parseRow } from './address.js'
import { richTextHandlers } from './rich-text.js'
import { throwWorkbookError, type WorkbookLocation } from './workbook-error.js'
import { type Attributes, type Handlers, parseXmlBoolean } from './xml.js'

/** A cell in the XML of a sheet. */
export interface RawCell {
  row: number
  isRowHidden: boolean
  column: number
  type: string
  style: string | undefined
  /** Undefined if there is no such element. */
  value: string | undefined
  formula: string | undefined
  /** The text of an inline string. */
  inline: string | undefined
}

/**
 * Handles the elements of a sheet. A row or cell without an address follows the previous one. Rows
 * and cells must be in order and unique (ECMA-376 part 1, 18.3.1.73), so that a file means the same
 * to every program.
 * @param sheet number of the sheet, for errors.
 * @param limit characters of a cell.
 * @param done is called for each cell.
 */
export function sheetHandlers(sheet: number, limit: number, done: (cell: RawCell) => void): Handlers {
  let row = 0
  let isRowHidden = false
  let column = 0
  /** The cell and the element whose text is being read. */
  let cell: RawCell | undefined
  let part: 'value' | 'formula' | undefined
  const inline = richTextHandlers('is', limit, (text) => {
    if (cell) cell.inline = text
  })

  const openCell = ({ r, t: type = 'n', s: style }: Attributes): RawCell => {
    const location = r === undefined ? { row, column: column + 1 } : parseAddress(r)
    if (
      row === 0 ||
      !location ||
      location.row !== row ||
      location.column <= column ||
      location.column > MAX_COLUMN
    )
      throwWorkbookError('damaged', { location: { sheet, row } })
    column = location.column
    return { row, isRowHidden, column, type, style, value: undefined, formula: undefined, inline: undefined }
  }

  return {
    open(name, attributes) {
      if (cell) {
        if (name === 'v') part = 'value'
        else if (name === 'f') part = 'formula'
        else inline.open(name, attributes)
        if (part) cell[part] ??= ''
      } else if (name === 'c') cell = openCell(attributes)
      else if (name === 'row') {
        row = nextRow(attributes.r, row, sheet)
        isRowHidden = parseXmlBoolean(attributes.hidden)
        column = 0
      }
    },
    text(text) {
      if (!cell) return
      if (!part) return inline.text(text)
      const whole = (cell[part] ?? '') + text
      if (whole.length > limit)
        throwWorkbookError('text-too-long', { limit, location: locationOf(sheet, cell) })
      cell[part] = whole
    },
    close(name) {
      if (!cell) return
      if (name === 'v' || name === 'f') part = undefined
      else if (name === 'c') {
        done(cell)
        cell = undefined
      } else inline.close(name)
    }
  }
}

export const locationOf = (sheet: number, { column, row }: RawCell): WorkbookLocation => ({
  sheet,
  cell: addressOf(column, row)
})

function nextRow(r: string | undefined, before: number, sheet: number): number {
  const row = r === undefined ? before + 1 : parseRow(r)
  if (row === undefined || row <= before || row > MAX_ROW)
    throwWorkbookError('damaged', { location: { sheet, row: before } })
  return row
}
