import { addressOf, lastColumn, lastRow, placeOf, rowOf } from './address.js'
import { refuse } from './refusal.js'
import { textOf } from './rich-text.js'
import type { Attributes, Handlers } from './xml.js'

/** A cell as it stands in the part of a sheet. */
export interface RawCell {
  row: number
  column: number
  type: string
  style: string | undefined
  /** Undefined where there is no such element. */
  value: string | undefined
  formula: string | undefined
  /** The text of a cell that does not share it. */
  inline: string | undefined
}

/**
 * Follows the elements of a sheet. Rows and cells may leave out where they are, which is after the one before; they come in
 * order and once each, as ECMA-376 part 1, 18.3.1.73 has it, so that a file means the same to every program.
 * @param where names the sheet in refusals
 * @param done is given each cell; the object is the same each time
 */
export function sheetHandlers(where: string, limit: number, done: (cell: RawCell) => void): Handlers {
  const cell: RawCell = {
    ...{ row: 0, column: 0, type: 'n', style: undefined },
    ...{ value: undefined, formula: undefined, inline: undefined }
  }
  let row = 0
  let column = 0
  let isInCell = false
  /** Which text is being gathered. */
  let part: 'value' | 'formula' | undefined
  const inline = textOf('is', limit, (text) => {
    cell.inline = text
  })

  const openCell = ({ r, t = 'n', s }: Attributes) => {
    const place = r === undefined ? { row, column: column + 1 } : placeOf(r)
    if (row === 0 || !place || place.row !== row || place.column <= column || place.column > lastColumn)
      refuse('damaged', { place: `${where}, ${row === 0 ? 'before the first row' : `row ${row}`}` })
    column = place.column
    cell.row = row
    cell.column = column
    cell.type = t
    cell.style = s
    cell.value = undefined
    cell.formula = undefined
    cell.inline = undefined
    isInCell = true
  }

  return {
    open(name, attributes) {
      if (isInCell) {
        if (name === 'v') part = 'value'
        else if (name === 'f') part = 'formula'
        else inline.open(name, attributes)
        if (part) cell[part] ??= ''
      } else if (name === 'c') openCell(attributes)
      else if (name === 'row') {
        row = nextRow(attributes.r, row, where)
        column = 0
      }
    },
    text(text) {
      if (!isInCell) return
      if (!part) return inline.text(text)
      const whole = (cell[part] ?? '') + text
      if (whole.length > limit) refuse('text-too-long', { limit, place: nameOf(where, cell) })
      cell[part] = whole
    },
    close(name) {
      if (!isInCell) return
      if (name === 'v' || name === 'f') part = undefined
      else if (name === 'c') {
        isInCell = false
        done(cell)
      } else inline.close(name)
    }
  }
}

/** Names a cell in a refusal. */
export const nameOf = (where: string, { column, row }: { column: number; row: number }) =>
  `${where}, cell ${addressOf(column, row)}`

function nextRow(r: string | undefined, before: number, where: string): number {
  const row = r === undefined ? before + 1 : rowOf(r)
  if (row === undefined || row <= before || row > lastRow)
    refuse('damaged', { place: `${where}, after row ${before}` })
  return row
}
