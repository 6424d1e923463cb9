import t from 'tap'
import { divideGroups, MIN_PATIENTS } from '../../src/order/statistics/small-groups.js'
import { seed } from '../fixtures/effort.js'

/** A small generator of numbers, so that a failure repeats. */
function randomOf(start: number) {
  let state = start
  return (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return Math.floor((state / 2 ** 31) * below)
  }
}

/**
 * The patients of each group by a month and up to four values, and of its parent groups by the
 * first values.
 */
function randomGroups(random: (below: number) => number): Map<string, Set<string>> {
  const groups = new Map<string, Set<string>>()
  const kinds = 1 + random(3)
  for (let order = random(250); order >= 0; order--) {
    const values = [random(2), ...Array.from({ length: 4 }, () => random(kinds))]
    const patient = `p${random(30)}`
    for (let depth = 1; depth <= values.length; depth++) {
      const group = values.slice(0, depth).join(' ')
      groups.set(group, (groups.get(group) ?? new Set()).add(patient))
    }
  }
  return groups
}

const depthOf = (group: string) => group.split(' ').length

/**
 * The row of a finest group among the rows by some keys of each month; undefined if there is none.
 */
function rowsBy(groups: Map<string, Set<string>>, keys: readonly number[]) {
  const depth = 1 + Math.max(0, ...keys)
  const counted = [...groups].filter(([group]) => depthOf(group) <= depth)
  const { shown, joined } = divideGroups(
    counted.map(([group, { size }]) => ({
      ...{ group, patients: size },
      few: size < MIN_PATIENTS ? [...(groups.get(group) ?? [])] : null
    }))
  )
  const [isShown, isJoined] = [new Set(shown), new Set(joined)]
  return (finest: string): string | undefined => {
    const values = finest.split(' ')
    const group = values.slice(0, depth).join(' ')
    if (isShown.has(group)) return [0, ...keys].map((key) => values[key]).join(' ')
    return isJoined.has(group) ? `${values[0]} joined` : undefined
  }
}

t.test('separates no group of few patients by any combination of rows', async (t) => {
  const random = randomOf(seed % 1_000_000)
  const seen = { joined: 0, shown: 0 }
  for (let world = 0; world < 200; world++) {
    const groups = randomGroups(random)
    const queries = Array.from({ length: 16 }, (_, subset) =>
      rowsBy(
        groups,
        [1, 2, 3, 4].filter((key) => subset & (1 << (key - 1)))
      )
    )
    // Rows tell two orders apart only if one row counts one of them.
    const parts = new Map<string, Set<string>>()
    for (const [group, patients] of [...groups].filter(([each]) => depthOf(each) === 5)) {
      const rows = queries.map((rowOf) => rowOf(group))
      const part = rows.join()
      parts.set(part, new Set([...(parts.get(part) ?? []), ...patients]))
      for (const row of rows) if (row) seen[row.endsWith('joined') ? 'joined' : 'shown']++
      if (rows[0] === undefined) t.ok(rows.every((row) => row === undefined))
    }
    for (const [part, { size }] of parts)
      if (part.replaceAll(',', '') !== '' && size < MIN_PATIENTS)
        t.fail(`world ${world}: ${part} is about ${size} patients`)
  }
  t.ok(seen.joined > 1000 && seen.shown > 1000, JSON.stringify(seen))
})
