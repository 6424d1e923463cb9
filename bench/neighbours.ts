import { setTimeout as pause } from 'node:timers/promises'
import { type Load, type Round, type RoundOptions, startLoad } from './driver.js'
import { withFixture } from './fixture.js'
import { forms } from './neighbours/forms.js'
import { slowClinicalServer } from './neighbours/slow-clinical-server.js'
import { makeWorld } from './neighbours/world.js'
import { processorTime } from './processor.js'
import { product } from './servers.js'
import { publish, readOptions, startTable } from './table.js'

/**
 * How requests of the maximum cost slow down other callers:
 * `npm --prefix bench run neighbours -- [--seconds=6] [--forms=list] [--write]`.
 * A neighbour reads an order 25 times a second, first in quiet, then during the heavy requests.
 */

const options = readOptions({ seconds: '6', forms: '' })
const seconds = Number(options.seconds)

type Percentiles = Pick<Round, 'p50' | 'p99'>

/** What a quiet server allows during heavy requests. */
const boundOf = ({ p50, p99 }: Percentiles): Percentiles => ({ p50: 2 * p50, p99: 2 * p99 + 100 })

const textOf = ({ p50, p99 }: Percentiles) => `${Math.round(p50)} / ${Math.round(p99)}`

const table = startTable(
  'form | at once | answers | ms of processor each | ms at a time | quiet p50 / p99, ms | meanwhile | bound | '
)

await withFixture({}, async ({ load, tokensOf, serve }) => {
  // With the documents, whose routes it asks for, and without load shedding, which would spare the neighbour.
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
  for (const form of forms.filter(({ title }) => title.includes(options.forms))) {
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
    // Only at the default rate limit is the p50 bounded, too.
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

const slowForm = 'slow clinical server, 10 requests a second of a caller'
if (slowForm.includes(options.forms))
  await withFixture({}, async ({ load, tokensOf, serve }) => {
    const clinical = await slowClinicalServer()
    const server = await serve(product, {
      env: { EVENT_LOOP_DELAY_LIMIT: '0', CLINICAL_FHIR_URL: clinical.base }
    })
    const tokens = await tokensOf(
      ['one', 'other'].map((name) => ({
        userType: 'AdministrativeClerk',
        organization: `${clinical.base}/Organization/${name}`
      }))
    )
    const meter = await startLoad()
    /** Each request names another organization, which the server looks up. */
    const play = (by: Load, token: number, limits: Pick<RoundOptions, 'connections' | 'perSecond'>) => {
      const organization = `${clinical.base}/Organization/${token}-#-x`
      const body = JSON.stringify({ allowedRoles: ['SELLER'], name: 'N', organization })
      const requests = [{ method: 'POST', path: '/ssl-order/v1/party', token, body }]
      return by.play({ origin: server.origin, tokens, requests, seconds: 4 * seconds, ...limits })
    }
    const quiet = await play(meter, 1, { connections: 1 })
    const before = processorTime(server.pid)
    const [meanwhile, { statuses, responses }] = await Promise.all([
      play(meter, 1, { connections: 1 }),
      play(load, 0, { connections: 200, perSecond: 10 })
    ])
    const bound = boundOf(quiet)
    table.add(
      ...[slowForm, 200, [...statuses].map(([status, count]) => `${count} × ${status}`).join(', ')],
      ...[Math.round((processorTime(server.pid) - before) / responses), await server.longestHold()],
      ...[textOf(quiet), textOf(meanwhile), textOf(bound), meanwhile.p99 <= bound.p99 ? 'holds' : 'BROKEN']
    )
    meter.stop()
    clinical.close()
  })
publish('neighbours', options, table)
