import t from 'tap'
import { compareWithModel } from '../fixtures/states/compare.js'
import { exploreStates, type State } from '../fixtures/states/graph.js'

/**
 * Number of states and transitions of the model for each maximum number of lines, deleted drafts
 * included.
 */
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
    const { states, edges } = exploreStates(maxLines)
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

// `states.random.test.ts` does the same with up to four lines.
t.test('the service makes the transitions of the model and rejects all others', (t) =>
  compareWithModel(t, { maxLines: 2, maxLinesOfRefusals: 2 })
)
