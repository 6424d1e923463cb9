import t from 'tap'
import { ordersIn } from '../../scripts/demo/order-data.js'
import { dateFormatterOf } from '../../src/platform/dates/calendar-date.js'

t.test('the demo agrees times of today that have not passed, at any hour', async (t) => {
  // At any moment these time zones have all hours of the day.
  for (let offset = -14; offset <= 12; offset++) {
    const timeZone = `Etc/GMT${offset < 0 ? '' : '+'}${offset}`
    const dayOf = dateFormatterOf(timeZone)
    const operations = ordersIn(timeZone).flatMap(({ steps }) =>
      steps.flatMap(({ patch }) => patch.map((each) => ({ value: undefined, ...each })))
    )
    const valuesAt = (path: string) => operations.flatMap((each) => (each.path === path ? [each.value] : []))
    const [starts, ends] = [valuesAt('/agreedFrom'), valuesAt('/agreedTo')]
    t.equal(starts.length, 5)
    for (const [at, end] of ends.entries()) {
      const now = new Date()
      t.ok(dayOf(new Date(String(starts[at]))) <= dayOf(now), timeZone)
      t.ok(new Date(String(end)) > now, timeZone)
    }
  }
})
