import t from 'tap'
import { testApp } from '../fixtures/app.js'
import { thorough } from '../fixtures/effort.js'
import { explore, walksOf } from '../fixtures/states/graph.js'
import { Replay } from '../fixtures/states/replay.js'
import type { State } from '../fixtures/states/rules.js'
import { world } from '../fixtures/world.js'

/** Size of the model by the maximum number of lines, deleted drafts included. */
const sizes = [
  { maxLines: 0, states: 3, moves: 2 },
  { maxLines: 1, states: 17, moves: 36 },
  { maxLines: 2, states: 48, moves: 139 },
  { maxLines: 3, states: 106, moves: 359 },
  { maxLines: 4, states: 203, moves: 755 }
]

t.test('the model keeps the invariants of each status', async (t) => {
  const isOpen = (line: string) => line === 'UNFULFILLED' || line === 'SUBMITTED'
  for (const { maxLines, ...expected } of sizes) {
    const { states, edges } = explore(maxLines)
    t.same({ states: states.size, moves: [...edges.values()].flat().length }, expected)
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

t.test('the service makes the moves of the model and refuses all others', async (t) => {
  const graph = explore(thorough ? 4 : 2)
  // `transition.test.ts` decides those of more lines in memory.
  const triesRefusals = ({ lines }: State) => thorough || lines.length < 2
  const app = await testApp(t)
  const replay = new Replay(await world(app), app.sql, triesRefusals)
  const walks = [...walksOf(graph)]
  const takeNext = async (): Promise<void> => {
    for (let walk = walks.pop(); walk; walk = walks.pop()) await replay.take(walk)
  }
  await Promise.all(Array.from({ length: 4 }, takeNext))
  t.same(replay.differences, [])
  t.equal(replay.tried, [...graph.states.values()].filter(triesRefusals).length)
  t.equal(replay.made, [...graph.edges.values()].flat().length)
  t.comment(`${graph.states.size} states, ${JSON.stringify(replay.counts)}`)
})
