import t from 'tap'
import { mapInTurns } from '../../src/platform/in-turns.js'

t.test('long work keeps its order, and lets others have their turn', async (t) => {
  let turns = 0
  const others = setInterval(() => turns++, 1)
  t.teardown(() => clearInterval(others))
  const busy = (entry: number) => {
    const end = performance.now() + 5
    while (performance.now() < end);
    return entry * 2
  }
  t.same(
    await mapInTurns([...Array(20).keys()], busy),
    [...Array(20).keys()].map((entry) => entry * 2)
  )
  t.ok(turns >= 3, `others had ${turns} turns`)
})

t.test('what goes wrong with an entry ends the work', async (t) => {
  const fail = () => {
    throw new Error('faulty')
  }
  await t.rejects(mapInTurns([1], fail), { message: 'faulty' })
})
