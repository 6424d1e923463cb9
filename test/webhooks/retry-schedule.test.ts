import fc from 'fast-check'
import t from 'tap'
import { parseRetryAfterMs } from '../../src/platform/http-client/single-attempt.js'
import {
  MAX_JITTER,
  MAX_RETRY_AFTER_MS,
  RETRY_DELAYS_MS,
  retryDelayMs
} from '../../src/webhooks/delivery/retry-schedule.js'

const [second, minute, hour] = [1000, 60_000, 3_600_000]

t.test('the schedule is that of Standard Webhooks', async (t) => {
  t.same(RETRY_DELAYS_MS, [
    ...[0, 5 * second, 5 * minute, 30 * minute],
    ...[2, 5, 10, 14, 20, 24].map((hours) => hours * hour)
  ])
})

/** The times of all attempts at a target that always fails, on a clock that begins at 0. */
function attemptsOf(answers: readonly { retryAfterMs: number; random: number }[]): number[] {
  const times = [0]
  let clock = 0
  for (;;) {
    const { retryAfterMs, random } = answers[times.length - 1] ?? { retryAfterMs: 0, random: 0 }
    const delay = retryDelayMs(times.length, retryAfterMs, random)
    if (delay === undefined) return times
    clock += delay
    times.push(clock)
  }
}

const answer = fc.record({
  retryAfterMs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 3 * MAX_RETRY_AFTER_MS })),
  random: fc.double({ min: 0, max: 1, noNaN: true })
})
const answers = fc.array(answer, { minLength: 10, maxLength: 10 })

t.test('a dead target gets ten attempts, each within its bounds', async () => {
  fc.assert(
    fc.property(answers, (given) => {
      const times = attemptsOf(given)
      if (times.length !== RETRY_DELAYS_MS.length) return false
      return times.slice(1).every((time, at) => {
        const waited = time - (times[at] ?? 0)
        const planned = RETRY_DELAYS_MS[at + 1] ?? 0
        const asked = Math.min(given[at]?.retryAfterMs ?? 0, MAX_RETRY_AFTER_MS)
        const latest = Math.max(planned * (1 + MAX_JITTER), asked)
        return waited >= planned - 1 && waited >= asked - 1 && waited <= latest + 1
      })
    }),
    { seed: 1, numRuns: 2000 }
  )
})

t.test('retries of many targets do not come at once', async (t) => {
  const delays = new Set(Array.from({ length: 100 }, () => retryDelayMs(3)))
  t.ok(delays.size > 50)
})

t.test('Retry-After is seconds or a date', async (t) => {
  const now = Date.parse('2026-03-02T08:00:00Z')
  t.equal(parseRetryAfterMs('120', now), 120_000)
  t.equal(parseRetryAfterMs('Mon, 02 Mar 2026 08:01:00 GMT', now), 60_000)
  t.equal(parseRetryAfterMs('Mon, 02 Mar 2026 07:00:00 GMT', now), 0)
  for (const text of [undefined, '', '-1', '1.5', 'soon', '99999999999', ['1', '2'], '2026-03-02'])
    t.equal(parseRetryAfterMs(text, now), undefined, String(text))
})
