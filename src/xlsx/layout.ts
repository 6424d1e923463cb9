import { placeOf } from './address.js'
import type { Archive } from './archive.js'
import { type Attributes, isTrue, readXml } from './xml.js'

/** How a sheet looks, as far as it is kept where the sheet is written again. */
export interface Layout {
  widths: { column: number; width: number }[]
  /** Ranges of merged cells, such as A1:D1. */
  merges: string[]
  lists: DropDown[]
}

/** A drop-down list: the cells that have it and where its choices are. */
export interface DropDown {
  ranges: string[]
  formula: string
}

/** What more there is of a kind is left out: nobody misses it, and it may be there to be too much. */
const most = { widths: 200, merges: 1_000, mergedCells: 20_000, lists: 200, ranges: 100, formula: 8_192 }

/** Reads the layout of a sheet of at most so many columns. */
export async function readLayout(archive: Archive, part: string, columns: number): Promise<Layout> {
  const layout: Layout = { widths: [], merges: [], lists: [] }
  const lists = dropDowns(layout)
  let mergedCells = 0
  await readXml(archive.open(part), {
    open(element, attributes) {
      if (element === 'col') addWidths(layout, attributes, columns)
      else if (element === 'mergeCell') {
        const { ref = '' } = attributes
        const size = sizeOf(ref)
        if (layout.merges.length === most.merges || mergedCells + size > most.mergedCells) return
        mergedCells += size
        layout.merges.push(ref)
      } else lists.open(localOf(element), attributes)
    },
    text: lists.text,
    close: (element) => lists.close(localOf(element))
  })
  return layout
}

function addWidths({ widths }: Layout, { min, max, width }: Attributes, columns: number): void {
  const last = Math.min(Number(max), columns)
  for (let column = Number(min); column <= last && widths.length < most.widths; column++)
    if (column >= 1 && Number(width) > 0) widths.push({ column, width: Math.min(Number(width), 255) })
}

/** How many cells a range has; more than any can be, where it is none. */
function sizeOf(range: string): number {
  const [from, to, ...more] = range.split(':').map(placeOf)
  if (!from || !to || more.length > 0) return Number.POSITIVE_INFINITY
  return (to.column - from.column + 1) * (to.row - from.row + 1)
}

/** Excel writes a list whose choices are on another sheet as an extension, in another namespace. */
const localOf = (element: string) => element.slice(element.lastIndexOf(':') + 1)

/** Follows the elements of drop-down lists: `formula1` holds the choices, in an extension within `f`, with the ranges in `sqref`. */
function dropDowns({ lists }: Layout) {
  let list: { formula: string; ranges: string } | undefined
  let part: 'formula' | 'ranges' | undefined
  return {
    open(element: string, { type, sqref = '', showDropDown }: Attributes) {
      // That the arrow is not shown is what showDropDown means.
      if (element === 'dataValidation')
        list = type === 'list' && !isTrue(showDropDown) ? { formula: '', ranges: sqref } : undefined
      else if (element === 'formula1') part = 'formula'
      else if (element === 'sqref') part = 'ranges'
    },
    text(text: string) {
      if (list && part && list[part].length < most.formula) list[part] += text
    },
    close(element: string) {
      if (element === 'formula1' || element === 'sqref') part = undefined
      if (element !== 'dataValidation' || !list) return
      const ranges = list.ranges.trim().split(/\s+/).slice(0, most.ranges).filter(isRange)
      if (lists.length < most.lists && ranges.length > 0) lists.push({ ranges, formula: list.formula.trim() })
      list = undefined
    }
  }
}

const isRange = (range: string) => range.split(':').length <= 2 && range.split(':').every(placeOf)
