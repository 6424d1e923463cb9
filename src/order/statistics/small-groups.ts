import type { StatisticsCell } from './select-statistics.js'

/** Groups of fewer patients are not shown to a clerk. */
export const MIN_PATIENTS = 5

/**
 * Splits cells into those that can be shown and those that are hidden, so that no difference of
 * shown figures is about fewer than {@link MIN_PATIENTS}. Where the hidden cells of a coarser group
 * have fewer patients together, its smallest shown cell is hidden as well.
 * @param parents for each grouping whose figures the caller may have: the group of a cell.
 */
export function splitCells(
  cells: readonly StatisticsCell[],
  parents: readonly ((cell: string) => string)[]
): { shown: StatisticsCell[]; hidden: StatisticsCell[] } {
  const hidden = new Set(cells.filter(({ patients }) => patients < MIN_PATIENTS))
  const groups = parents.flatMap((parentOf) => groupsOf(cells, parentOf))
  for (let known = -1; known !== hidden.size; ) {
    known = hidden.size
    for (const group of groups) {
      const next = cellToHide(group, hidden)
      if (next) hidden.add(next)
    }
  }
  return { shown: cells.filter((each) => !hidden.has(each)), hidden: [...hidden] }
}

/** The cell of a group that has to be hidden in addition to the hidden ones. */
function cellToHide(
  group: readonly StatisticsCell[],
  hidden: ReadonlySet<StatisticsCell>
): StatisticsCell | undefined {
  const hiddenHere = group.filter((each) => hidden.has(each))
  if (hiddenHere.length === 0 || countPatients(hiddenHere) >= MIN_PATIENTS) return undefined
  return group
    .filter((each) => !hidden.has(each))
    .reduce<StatisticsCell | undefined>(
      (least, each) => (least && least.patients <= each.patients ? least : each),
      undefined
    )
}

/** The cells of each group. */
export function groupsOf(
  cells: readonly StatisticsCell[],
  parentOf: (cell: string) => string
): StatisticsCell[][] {
  const groups = new Map<string, StatisticsCell[]>()
  for (const each of cells) {
    const parent = parentOf(each.cell)
    const group = groups.get(parent)
    if (group) group.push(each)
    else groups.set(parent, [each])
  }
  return [...groups.values()]
}

/** At least how many patients cells have together. */
export const countPatients = (cells: readonly StatisticsCell[]): number =>
  cells.reduce(
    (most, { patients }) => Math.max(most, patients),
    new Set(cells.flatMap(({ few }) => few ?? [])).size
  )
