import type { Cell } from './select-statistics.js'

/** Groups of fewer patients are not shown to a clerk. */
export const MIN_PATIENTS = 5

/**
 * The cells that can be shown, so that no difference of shown figures is about fewer than
 * {@link MIN_PATIENTS}. Where the hidden cells of a coarser group have fewer patients together, its
 * smallest shown cell is hidden as well.
 * @param parents for each grouping whose figures the caller may have: the group of a cell.
 */
export function shownCells(cells: readonly Cell[], parents: readonly ((cell: string) => string)[]): string[] {
  const hidden = new Set(cells.filter(({ patients }) => patients < MIN_PATIENTS))
  for (let known = -1; known !== hidden.size; ) {
    known = hidden.size
    for (const parentOf of parents)
      for (const children of groupsOf(cells, parentOf)) {
        const next = cellToHide(children, hidden)
        if (next) hidden.add(next)
      }
  }
  return cells.filter((each) => !hidden.has(each)).map(({ cell }) => cell)
}

/** The cell of a group that has to be hidden in addition to the hidden ones. */
function cellToHide(children: readonly Cell[], hidden: ReadonlySet<Cell>): Cell | undefined {
  const hiddenHere = children.filter((each) => hidden.has(each))
  if (hiddenHere.length === 0 || countPatients(hiddenHere) >= MIN_PATIENTS) return undefined
  return children
    .filter((each) => !hidden.has(each))
    .reduce<Cell | undefined>(
      (least, each) => (least && least.patients <= each.patients ? least : each),
      undefined
    )
}

function groupsOf(cells: readonly Cell[], parentOf: (cell: string) => string): Iterable<Cell[]> {
  const groups = new Map<string, Cell[]>()
  for (const each of cells) {
    const parent = parentOf(each.cell)
    const group = groups.get(parent)
    if (group) group.push(each)
    else groups.set(parent, [each])
  }
  return groups.values()
}

/** At least how many patients cells have together. */
const countPatients = (cells: readonly Cell[]): number =>
  Math.max(new Set(cells.flatMap(({ few }) => few ?? [])).size, ...cells.map(({ patients }) => patients))
