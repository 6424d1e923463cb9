import { setTimeout as pause } from 'node:timers/promises'
import { type Round, startLoad } from './driver.js'
import { withFixture } from './fixture.js'
import { loadTypes } from './neighbours/forms.js'
import { makeWorld } from './neighbours/world.js'
import { processorTime } from './processor.js'
import { product } from './servers.js'
import { readOptions, startTable, writeToReadme } from './table.js'

/**
 * How requests of the maximum cost slow down other callers: `npm --prefix bench run neighbours --
 * [--seconds=6] [--forms=list] [--write]`. A neighbour reads an order 25 times a second, first
 * without other requests, then during the heavy requests.
 */

const options = readOptions({ seconds: '6', forms: '' })
const seconds = Number(options.seconds)

type Percentiles = Pick<Round, 'p50' | 'p99'>

/** The maximum times of a neighbour during heavy requests. */
const boundOf = ({ p50, p99 }: Percentiles): Percentiles => ({ p50: 2 * p50, p99: 2 * p99 + 100 })

const textOf = ({ p50, p99 }: Percentiles) => `${Math.round(p50)} / ${Math.round(p99)}`

const table = startTable(
  'form | at once | answers | ms of processor each | ms at a time | quiet p50 / p99, ms | meanwhile | bound | '
)

await withFixture({}, async ({ load, tokensOf, serve }) => {
  // With API documents, because a load requests them, and without load shedding, which would
  // protect the neighbour.
  const server = await serve(product, { env: { EVENT_LOOP_DELAY_LIMIT: '0', API_DOCS: 'true' } })
  const { origin } = server
  const world = await makeWorld(origin, tokensOf, 120)
  const meter = await startLoad()
  const path = `${new URL(world.order).pathname}/details`
  const measure = (duration: number) =>
    meter.play({
      ...{ origin, connections: 1, perSecond: 25, seconds: duration, expected: { status: 200, minBytes: 0 } },
      ...{ tokens: [world.tokens.nurse], requests: [{ method: 'GET', path, token: 0 }] }
    })
  await measure(3)
  for (const form of loadTypes.filter(({ title }) => title.includes(options.forms))) {
    const heavy = [await form.requests(world)].flat()
    const tokens = [...new Set(heavy.map(({ token }) => token))]
    const requests = heavy.map((request) => ({ ...request, token: tokens.indexOf(request.token) }))
    const { atOnce, intervalMs = 50 } = form
    const quiet = await measure(4)
    await server.longestHold()
    const before = processorTime(server.pid)
    const [meanwhile, { statuses, responses }] = await Promise.all([
      measure(seconds),
      load.play({
        origin,
        tokens,
        requests,
        connections: atOnce,
        perSecond: (1000 * atOnce) / intervalMs,
        seconds
      })
    ])
    const each = (processorTime(server.pid) - before) / responses
    const bound = boundOf(quiet)
    // The p50 is bounded only at the default rate limit.
    const holds = meanwhile.p99 <= bound.p99 && (!form.isRated || meanwhile.p50 <= bound.p50)
    table.add(
      ...[form.title, atOnce, [...statuses].map(([status, count]) => `${count} × ${status}`).join(', ')],
      ...[Math.round(each), await server.longestHold(), textOf(quiet), textOf(meanwhile)],
      ...(form.isBounded ? [textOf(bound), holds ? 'holds' : 'BROKEN'] : ['', 'reported'])
    )
    await pause(1000)
  }
  meter.stop()
})

writeToReadme('neighbours', options, table)
