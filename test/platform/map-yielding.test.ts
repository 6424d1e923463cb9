import t from 'tap'
import { mapYielding } from '../../src/platform/concurrency/map-yielding.js'
import { clockOf } from '../fixtures/clock.js'

t.test('keeps the order of entries and yields to the event loop', async (t) => {
  const clock = clockOf(t, true)
  let turns = 0
  const others = () => {
    turns++
    if (turns < 100) setImmediate(others)
  }
  setImmediate(others)
  const busy = (entry: number) => {
    clock.pass(5)
    return entry * 2
  }
  t.same(
    await mapYielding([...Array(20).keys()], busy),
    [...Array(20).keys()].map((entry) => entry * 2)
  )
  t.ok(turns >= 9, `the event loop had ${turns} turns`)
})
