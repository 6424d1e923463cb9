import t from 'tap'
import { ordersIn } from '../../scripts/demo/order-data.js'
import { clockOf } from '../fixtures/clock.js'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

t.test('the demo agrees times that include the present', async (t) => {
  const clock = clockOf(t, true)
  const beforeFullHour = 2 * HOUR_MS - (Date.now() % HOUR_MS) - MINUTE_MS
  for (const passed of [beforeFullHour, 2 * MINUTE_MS]) {
    clock.pass(passed)
    const now = Date.now()
    const operations = ordersIn('Europe/Copenhagen').flatMap(({ steps }) =>
      steps.flatMap(({ patch }) => patch.map((each) => ({ value: undefined, ...each })))
    )
    const instantsAt = (path: string) =>
      operations.flatMap((each) => (each.path === path ? [Date.parse(String(each.value))] : []))
    const [starts, ends] = [instantsAt('/agreedFrom'), instantsAt('/agreedTo')]
    t.equal(starts.length, 5)
    t.equal(ends.length, 5)
    for (const start of starts) t.ok(start <= now)
    for (const end of ends) t.ok(now < end)
  }
})
