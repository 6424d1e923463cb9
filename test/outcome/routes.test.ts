import t from 'tap'
import type { UserType } from '../../src/platform/auth/caller.js'
import { type TestApp, testApp } from '../fixtures/app.js'
import type { ApiResponse } from '../fixtures/callers.js'
import {
  beginning,
  type CutPoint,
  committing,
  type DatabaseProxy,
  databaseProxy
} from '../fixtures/database-proxy.js'
import { idOf } from '../fixtures/routes/addresses.js'
import { type PopulatedWorld, populatedWorld } from '../fixtures/routes/populated-world.js'
import { outcome } from '../fixtures/routes/refusal.js'
import type { Row } from '../fixtures/routes/rows.js'
import { allRoutes } from '../fixtures/routes/table.js'
import { contentOf } from '../fixtures/routes/writes.js'
import { organization } from '../fixtures/world.js'

/** Every route that writes, with one kind of caller that may call it. */
const writes = Object.entries(allRoutes).filter(
  // A distributed database refuses one of them.
  ([route, { readsOnly, ok }]) => !route.startsWith('GET ') && !readsOnly && ok.startsWith('2')
)
const writerOf = ({ who }: Row) => Object.keys(who)[0] as UserType

/** Includes `xmin`, because an update that leaves a row unchanged is a write too. */
const rowVersion = 't.xmin || t::text'

interface Trial {
  response: ApiResponse
  /** Whether the connection was cut at the given point. */
  wasCut: boolean
  tookEffect: boolean
}

/**
 * Sends a valid request whose connection `fail` breaks, and compares the database before and after.
 */
async function attempt(
  { app, sql, as }: Pick<TestApp, 'app' | 'sql' | 'as'>,
  proxy: DatabaseProxy,
  g: PopulatedWorld,
  [route, row]: [string, Row],
  fail: () => void
): Promise<Trial> {
  const userType = writerOf(row)
  const { of = '', payload, headers } = await row.request(g, userType)
  const [method = '', path = ''] = route.split(' ')
  const caller = as(userType, organization(userType === 'Provider' ? 'provider' : 'region'))
  // Opens the connections that the request reads from first.
  await app.inject('/health/ready')
  const before = await contentOf(sql, rowVersion)
  fail()
  const response = await caller.send({
    method: method as 'PUT',
    url: path.replace(':id', idOf(of)),
    ...(payload ? { payload: payload as object, headers: headers ?? {} } : {})
  })
  const wasCut = proxy.restore()
  const after = await contentOf(sql, rowVersion)
  return { response, wasCut, tookEffect: JSON.stringify(after) !== JSON.stringify(before) }
}

t.test('the response to a write whose connection is lost', async (t) => {
  let proxy: DatabaseProxy | undefined
  const app = await testApp(t, {}, async (url) => {
    proxy = await databaseProxy(url)
    return proxy.url
  })
  t.teardown(() => proxy?.close())
  // No run gets the lease of a subscription: its deliveries would meet the failures meant for the
  // requests.
  await app.sql`alter table subscription_deliveries alter column lease_until set default '2999-01-01Z'`
  const g = await populatedWorld(app)
  if (!proxy) return
  const lossy = proxy
  t.ok(writes.length > 20, `${writes.length} routes write`)
  const cut = (point: CutPoint, message: RegExp) => () => lossy.cut(point, message)
  const told = ({ response, wasCut, tookEffect }: Trial) => ({
    outcome: outcome(response),
    wasCut,
    tookEffect
  })

  for (const each of writes)
    t.test(each[0], async (t) => {
      const answered = async (fail: () => void) => told(await attempt(app, lossy, g, each, fail))
      t.same(
        await answered(cut('after', committing)),
        { outcome: '503 outcome-unknown', wasCut: true, tookEffect: true },
        'committed, but the response is lost'
      )
      t.same(
        await answered(cut('before', committing)),
        { outcome: '503 outcome-unknown', wasCut: true, tookEffect: false },
        'sent, but not received by PostgreSQL'
      )
      const lost = await answered(cut('after', beginning))
      if (lost.wasCut)
        t.same(
          lost,
          { outcome: '503 database-unavailable', wasCut: true, tookEffect: false },
          'lost in a transaction before its commit is sent'
        )
      t.same(
        await answered(() => lossy.refuse()),
        { outcome: '503 database-unavailable', wasCut: false, tookEffect: false },
        'never sent'
      )
      const { response, tookEffect } = await attempt(app, lossy, g, each, () => {})
      t.same(
        { status: String(response.status), tookEffect },
        { status: each[1].ok.slice(0, 3), tookEffect: true }
      )
    })
})
