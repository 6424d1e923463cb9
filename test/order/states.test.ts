import t from 'tap'
import { testApp } from '../fixtures/app.js'
import { thorough } from '../fixtures/effort.js'
import { explore, walksOf } from '../fixtures/states/graph.js'
import { Replay } from '../fixtures/states/replay.js'
import type { State } from '../fixtures/states/rules.js'
import { world } from '../fixtures/world.js'

/**
 * Number of states and legal transitions of an order by its maximum number of lines, deleted drafts
 * included.
 */
const counts: Readonly<Record<number, [states: number, moves: number]>> = {
  0: [3, 2],
  1: [17, 36],
  2: [48, 139],
  3: [106, 359],
  4: [203, 755]
}

t.test('the model keeps the invariants of each status', async (t) => {
  const isOpen = (line: string) => line === 'UNFULFILLED' || line === 'SUBMITTED'
  for (const [maxLines, expected] of Object.entries(counts)) {
    const { states, edges } = explore(Number(maxLines))
    t.same([states.size, [...edges.values()].flat().length], expected, `${maxLines} lines`)
    const holds = ({ order, lines }: State) => {
      if (order === 'DRAFT') return !lines.includes('FULFILLED')
      if (order === 'SUBMITTED' || order === 'ACCEPTED') return lines.some(isOpen)
      return !lines.some(isOpen) && (order === 'FULFILLED') === lines.includes('FULFILLED')
    }
    t.same(
      [...states.values()].filter((state) => !holds(state)),
      [],
      'running orders have an open line, closed ones none; only FULFILLED orders have a delivered line'
    )
  }
})

t.test('the service makes every transition of the model and refuses all others', async (t) => {
  const graph = explore(thorough ? 4 : 2)
  const app = await testApp(t)
  const replay = new Replay(await world(app), app.sql)
  const walks = [...walksOf(graph)]
  const takeNext = async (): Promise<void> => {
    for (let walk = walks.pop(); walk; walk = walks.pop()) await replay.take(walk)
  }
  await Promise.all(Array.from({ length: 4 }, takeNext))
  t.same(replay.differences, [])
  t.equal(replay.tried, graph.states.size)
  t.equal(replay.made, [...graph.edges.values()].flat().length)
  t.comment(`${graph.states.size} states, ${JSON.stringify(replay.counts)}`)
})
