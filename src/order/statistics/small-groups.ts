/** Groups of fewer patients are not shown to a clerk. */
export const MIN_PATIENTS = 5

/** Separates the values of a group. No value contains it. */
export const GROUP_SEPARATOR = ' '

/** A group of orders of a month, and its number of patients. */
export interface PatientGroup {
  /** The month and the further values, in the order in which groups are divided. */
  group: string
  patients: number
  /** The patients of a group that is too small to be shown. */
  few: string[] | null
}

/**
 * Divides each month, and each of its groups, into groups of at least {@link MIN_PATIENTS}
 * patients. Smaller groups are merged, if necessary with the smallest other group. All figures are
 * sums of the resulting parts, for any number of values in a query, so that no combination of
 * figures is about fewer patients.
 * @param groups all groups, from the months to the groups with all values.
 * @returns the shown groups with all values, and the groups in merged parts.
 */
export function divideGroups(groups: readonly PatientGroup[]): { shown: string[]; joined: string[] } {
  const parts = new Map<string, PatientGroup[]>()
  for (const each of groups) {
    const parent = each.group.slice(0, Math.max(each.group.lastIndexOf(GROUP_SEPARATOR), 0))
    const siblings = parts.get(parent)
    if (siblings) siblings.push(each)
    else parts.set(parent, [each])
  }
  const shown: string[] = []
  const joined: string[] = []
  function visit({ group }: PatientGroup, isShown: boolean): void {
    const inside = parts.get(group)
    if (!inside) (isShown ? shown : joined).push(group)
    const together = new Set(isShown && inside ? partsToJoin(inside) : [])
    for (const each of inside ?? []) visit(each, isShown && !together.has(each))
  }
  for (const month of parts.get('') ?? []) if (month.patients >= MIN_PATIENTS) visit(month, true)
  return { shown, joined }
}

/** The parts of a group that are merged, because some have too few patients. */
function partsToJoin(parts: readonly PatientGroup[]): PatientGroup[] {
  const small = parts.filter(({ patients }) => patients < MIN_PATIENTS)
  const patients = new Set(small.flatMap(({ few }) => few ?? []))
  if (small.length === 0 || patients.size >= MIN_PATIENTS) return small
  const others = parts.filter((each) => each.patients >= MIN_PATIENTS)
  // The choice does not depend on the query.
  others.sort((a, b) => a.patients - b.patients || (a.group < b.group ? -1 : 1))
  return [...small, ...others.slice(0, 1)]
}
