import t from 'tap'
import { MIN_PATIENTS, splitCells } from '../../src/order/statistics/small-groups.js'
import { seed } from '../fixtures/effort.js'

/** A small generator of numbers, so that a failure repeats. */
function randomOf(start: number) {
  let state = start
  return (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return Math.floor((state / 2 ** 31) * below)
  }
}

/** The coarser groupings of `month a b`. */
const parents = [
  (cell: string) => cell.split(' ')[0] ?? '',
  (cell: string) => cell.split(' ').slice(0, 2).join(' '),
  (cell: string) => [cell.split(' ')[0], cell.split(' ')[2]].join(' ')
]

t.test('hides groups so that no difference of shown figures is about few patients', async (t) => {
  const random = randomOf(seed % 1_000_000)
  let hidden = 0
  for (let world = 0; world < 300; world++) {
    const patientsOf = new Map<string, Set<string>>()
    for (let order = random(150); order >= 0; order--) {
      const cell = `${random(3)} ${random(3)} ${random(3)}`
      patientsOf.set(cell, (patientsOf.get(cell) ?? new Set()).add(`p${random(30)}`))
    }
    const cells = [...patientsOf].map(([cell, patients]) => ({
      ...{ cell, patients: patients.size },
      few: patients.size < MIN_PATIENTS ? [...patients] : null
    }))
    const shown = new Set(splitCells(cells, parents).shown.map(({ cell }) => cell))
    for (const cell of shown) t.ok((patientsOf.get(cell)?.size ?? 0) >= MIN_PATIENTS)
    for (const parentOf of parents)
      for (const parent of new Set([...patientsOf.keys()].map(parentOf))) {
        const children = [...patientsOf].filter(([cell]) => parentOf(cell) === parent)
        const left = new Set(children.flatMap(([cell, patients]) => (shown.has(cell) ? [] : [...patients])))
        const all = new Set(children.flatMap(([, patients]) => [...patients]))
        if (all.size < MIN_PATIENTS || left.size === 0) continue
        hidden++
        if (left.size < MIN_PATIENTS) t.fail(`world ${world}: ${parent} is about ${left.size} patients`)
      }
  }
  t.ok(hidden > 100)
})
