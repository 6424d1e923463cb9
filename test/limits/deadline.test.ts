import { setTimeout as pause } from 'node:timers/promises'
import type { Sql } from 'postgres'
import t, { type Test } from 'tap'
import { saveBatch } from '../../src/order/store/save.js'
import { secondServer, type TestApp, testApp, testWorld } from '../fixtures/app.js'
import { type ApiResponse, postWithKey } from '../fixtures/callers.js'
import { clockOf } from '../fixtures/clock.js'
import { plainWrite } from '../fixtures/plain-write.js'
import { idOf } from '../fixtures/routes/addresses.js'
import { outcome } from '../fixtures/routes/refusal.js'
import { recordStatements } from '../fixtures/sent-statements.js'
import { countWaiting, until } from '../fixtures/waiting.js'
import { catalogue, orders, organization, pathOf, patient, transitionTo, world } from '../fixtures/world.js'

/** Request timeout in milliseconds; only the fake clock reaches it. */
const limit = 240_000

const shared = await testApp(t, { DATABASE_POOL: '2' })
const w = await world(shared)

/** Resolves with true when a statement waits for a lock, with false when `isOver`. */
async function lockAwaited(sql: Sql, isOver = () => false): Promise<boolean> {
  await until(async () => isOver() || (await countWaiting(sql)) > 0)
  return !isOver()
}

/** Resolves when the server runs no statement for a while. */
async function idle(sql: Sql): Promise<void> {
  const active = () => sql`select from pg_stat_activity
    where datname = current_database() and application_name = 'ssl-backend' and state <> 'idle'`
  for (let quiet = 0; quiet < 20; quiet++) {
    if ((await active()).length > 0) quiet = 0
    await pause(10)
  }
}

/**
 * Sends a transition to a server with a short timeout while the transition waits for a lock. Real
 * time, because the database has its own clock. A machine too slow to start the transition in time
 * gets a longer timeout.
 * @param meanwhile runs after the response, before the lock is released.
 * @returns the id of the late request.
 */
async function movedLate(
  t: Test,
  app: TestApp,
  order: string,
  code: string,
  meanwhile = async (_: TestApp) => {}
): Promise<string> {
  const { sql } = app
  for (let milliseconds = 1000; ; milliseconds *= 4) {
    // A connection pooler would keep connections with the longer timeout.
    const hasty = await testApp(t, { REQUEST_TIMEOUT: `${milliseconds}` }, async () => app.databaseUrl)
    const nurse = hasty.as('MonitoringResponsible', organization('region'))
    const request = await sql.begin(async (tx) => {
      await tx`lock table trace_lines in exclusive mode`
      let isAnswered = false
      const asked = nurse.patch(pathOf(order), transitionTo(code)).finally(() => {
        isAnswered = true
      })
      const isBegun = await lockAwaited(sql, () => isAnswered)
      const response = await asked
      if (isBegun) t.equal(outcome(response), '503 outcome-unknown')
      await meanwhile(hasty)
      await pause(50)
      return isBegun ? String(response.headers['x-request-id']) : ''
    })
    if (request !== '') return request
    await idle(sql)
  }
}

t.test('a request ends at its deadline while the database makes it wait', async (t) => {
  const clock = clockOf(t)
  const { app, w } = await testWorld(t, { REQUEST_TIMEOUT: `${limit}`, EVENT_TARGETS: '' })
  const { nurse, provider, createDraft, draft, monitor } = w
  const order = await createDraft()
  const repeated = () => postWithKey(nurse, 'repeated', `${orders}/order`, draft())
  t.equal((await repeated()).status, 201)
  const counts = async () => {
    const [row] = await app.sql`select (select count(*) from orders)::int as orders,
      (select count(*) from trace_lines)::int as traces, (select count(*) from black_list_entries)::int as entries,
      (select count(*) from parties)::int as parties`
    return row
  }
  const records = () =>
    app.sql<{ operation: string; problem: string | null }[]>`
      select operation, problem from audit_events order by recorded, id`

  /** The number of statements that wait to write audit records. */
  const auditWaits = async () => {
    const [row] = await app.sql`select count(*)::int as count from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query ~ 'audit_events'`
    return row?.count
  }

  /**
   * Sends a request that reaches its deadline while it waits for a lock.
   * @param count of audit records that must follow.
   * @param isHeld resolves when the request waits.
   * @returns the response, and all audit records that followed.
   */
  async function whileLocked(
    lock: string,
    ask: () => Promise<ApiResponse>,
    count = 1,
    isHeld: () => Promise<unknown> = () => lockAwaited(app.sql)
  ) {
    const before = (await records()).length
    const response = await app.sql.begin(async (tx) => {
      await tx.unsafe(lock)
      const asked = ask()
      await isHeld()
      clock.pass(limit)
      return asked
    })
    await until(async () => (await records()).length >= before + count)
    await idle(app.sql)
    return { response, left: (await records()).slice(before).map((each) => ({ ...each })) }
  }

  for (const [table, operation, ask] of [
    ['trace_lines', 'createOrder', () => nurse.post(`${orders}/order`, draft())],
    [
      'black_list_entries',
      'createBlackList',
      () => nurse.post(`${catalogue}/black-list`, { patient: patient('p9'), item: monitor })
    ]
  ] as const)
    t.test(`${operation} writes nothing after its caller got a timeout`, async (t) => {
      const before = await counts()
      const { response, left } = await whileLocked(`lock table ${table} in exclusive mode`, ask)
      t.equal(outcome(response), '503 busy')
      t.match(response.body.detail, /Nothing was written/)
      t.match(response.headers, { 'retry-after': '5' })
      t.same(await counts(), before)
      t.same(left, [{ operation, problem: 'busy' }])
    })

  t.test('a transition that waits for its turn does not take effect after its deadline', async (t) => {
    const before = await counts()
    const request = await movedLate(t, app, order, 'CANCELLED')
    const recorded = () => app.sql`select operation, problem from audit_events where request_id = ${request}`
    await until(async () => (await recorded()).length > 0)
    await idle(app.sql)
    t.same(await counts(), before)
    const left = await recorded()
    t.same([...left], [{ operation: 'patchOrder', problem: 'outcome-unknown' }])
    t.equal((await nurse.get(pathOf(order), 200)).body.status.code, 'DRAFT')
  })

  t.test('a transition in flight has one record, with its outcome', async (t) => {
    const { order } = await w.submitted()
    const { response, left } = await whileLocked('lock table order_lines in share mode', () =>
      provider.patch(pathOf(order), transitionTo('FULFILLED'))
    )
    t.equal(outcome(response), '503 outcome-unknown')
    const { code } = (await nurse.get(pathOf(order), 200)).body.status
    t.same(left, [{ operation: 'patchOrder', problem: code === 'FULFILLED' ? null : 'outcome-unknown' }])
  })

  t.test('a locked order delays only its own requests', async (t) => {
    const [held, free] = [await w.submitted(), await w.submitted()]
    const accept = (order: string) => provider.patch(pathOf(order), transitionTo('ACCEPTED'))
    const lock = `select from orders where id = '${pathOf(held.order).split('/').at(-1)}' for update`
    const { response, left } = await whileLocked(
      lock,
      () => accept(held.order),
      2,
      async () => t.equal((await accept(free.order)).status, 204)
    )
    // The deadline may pass during a retry.
    t.match(outcome(response), /^503 (busy|outcome-unknown)$/)
    t.same(left, [
      { operation: 'patchOrder', problem: null },
      { operation: 'patchOrder', problem: response.body.code }
    ])
    t.equal((await accept(held.order)).status, 204)
  })

  t.test('a read ends at its deadline', async (t) => {
    const { response, left } = await whileLocked('lock table order_lines in access exclusive mode', () =>
      nurse.get(pathOf(order))
    )
    t.equal(outcome(response), '503 busy')
    t.same(left, [{ operation: 'getOrder', problem: 'busy' }])
  })

  t.test('a late read of details has one record, even if its statement commits a record', async (t) => {
    const { response, left } = await whileLocked('lock table order_lines in access exclusive mode', () =>
      nurse.get(`${pathOf(order)}/details`)
    )
    t.equal(outcome(response), '503 busy')
    t.same(left, [{ operation: 'getOrderDetails', problem: null }])
  })

  t.test('a read of details that PostgreSQL canceled is not retried', async (t) => {
    const hasty = await secondServer(t, app)
    const asker = hasty.as('MonitoringResponsible', organization('region'))
    const sent = recordStatements(hasty.app)
    const reading = await app.sql.begin(async (tx) => {
      await tx`lock table order_lines in access exclusive mode`
      const reading = asker.get(`${pathOf(order)}/details`)
      await lockAwaited(app.sql)
      // Cancels like `statement_timeout`, but independently of the speed of the machine.
      await tx`select pg_cancel_backend(pid) from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`
      await until(async () => (await countWaiting(app.sql)) === 0)
      return { reading }
    })
    t.equal(outcome(await reading.reading), '503 database-unavailable')
    t.equal(sent.filter(({ text }) => text.includes('trace_lines')).length, 1)
  })

  t.test('a late POST with a key does not reload its result', async (t) => {
    const sent = recordStatements(app.app)
    const { response } = await whileLocked('lock table trace_lines in exclusive mode', () =>
      postWithKey(nurse, 'late', `${orders}/order`, draft())
    )
    t.equal(outcome(response), '503 busy')
    t.equal(sent.filter(({ text }) => /^select .* from "idempotency_keys"/.test(text)).length, 1)
  })

  t.test('PostgreSQL cancels a query that no request waits for', async (t) => {
    const hasty = await testApp(t, { REQUEST_TIMEOUT: '1000' })
    const asker = hasty.as('MonitoringResponsible', organization('region'))
    const url = `${orders}/orders?patient=${encodeURIComponent(patient('p1'))}`
    await hasty.sql.begin(async (tx) => {
      await tx`lock table orders in access exclusive mode`
      let isOver = false
      const asking = Promise.all(Array.from({ length: 10 }, () => asker.get(url))).finally(() => {
        isOver = true
      })
      await lockAwaited(hasty.sql, () => isOver)
      for (const { status } of await asking) t.equal(status, 503)
      await idle(hasty.sql)
    })
    await until(async () => (await asker.get(url)).status === 200)
  })

  for (const [what, ask] of [
    ['a read', () => nurse.get(pathOf(order))],
    ['a repeated POST', repeated],
    ['a PATCH without effect', () => nurse.patch(pathOf(order), [])]
  ] as const)
    t.test(`${what} fails when its audit record takes too long`, async (t) => {
      const { response } = await whileLocked('lock table audit_events in exclusive mode', ask, 0)
      t.equal(outcome(response), '503 database-unavailable')
      t.match(response, {
        headers: { 'retry-after': '5' },
        body: { detail: /cannot be recorded in the audit record/ }
      })
    })

  for (const [what, ask, expected] of [
    ['a repeated POST', repeated, 201],
    ['a PATCH without effect', () => nurse.patch(pathOf(order), []), 204]
  ] as const)
    t.test(`${what} gets its response when its audit record ends after the deadline`, async (t) => {
      const { asked } = await app.sql.begin(async (tx) => {
        await tx`lock table audit_events in exclusive mode`
        let asked: Promise<ApiResponse> | undefined
        // A rollback to the savepoint releases its lock. The time of the record begins then.
        const earlier = tx.savepoint(async (savepoint) => {
          await savepoint`lock table idempotency_keys, orders in access exclusive mode`
          asked = ask()
          await lockAwaited(app.sql)
          clock.pass(limit * 0.75)
          throw new Error('Release the lock.')
        })
        await earlier.catch(() => undefined)
        await until(async () => (await auditWaits()) > 0)
        clock.pass(limit * 0.25)
        await pause(50)
        return { asked }
      })
      t.equal((await asked)?.status, expected)
    })

  t.test('a handler that ends while the 503 is recorded does not change the 503', async (t) => {
    const { asked } = await app.sql.begin(async (tx) => {
      await tx`lock table audit_events in exclusive mode`
      let asked: Promise<ApiResponse> | undefined
      const earlier = tx.savepoint(async (savepoint) => {
        await savepoint`lock table idempotency_keys in access exclusive mode`
        asked = repeated()
        await lockAwaited(app.sql)
        clock.pass(limit)
        await until(async () => (await auditWaits()) > 0)
        throw new Error('Release the lock.')
      })
      await earlier.catch(() => undefined)
      await until(async () => (await countWaiting(app.sql)) === 1)
      await pause(50)
      return { asked }
    })
    const response = await asked
    t.equal(response && outcome(response), '503 busy')
    t.equal(response?.headers.location, undefined)
  })

  t.test('later requests succeed', async () => {
    await nurse.create(`${orders}/order`, draft())
    await nurse.patch(pathOf(order), transitionTo('CANCELLED'), 204)
  })
})

t.test('an order is saved before its deadline by the clock of the database, or not at all', async (t) => {
  const { app, sql } = shared
  const id = idOf(await w.createDraft())
  const save = async (until: Date) =>
    saveBatch(app.db, { write: await plainWrite(shared, id, until), begin() {} })
  const { order } = await plainWrite(shared, id)
  t.equal(await save(new Date(Date.now() - 1000)), false)
  t.equal(await save(new Date(Date.now() + 60_000)), true)
  const [row] = await sql`select revision from orders where id = ${id}`
  t.equal(row?.revision, order.revision)
})

t.test('a closing server writes its pending audit records', async (t) => {
  const { order } = await w.submitted()
  let closed: Promise<unknown> = Promise.resolve()
  await movedLate(t, shared, order, 'CANCELLED', async ({ app }) => {
    closed = app.close()
  })
  await closed
  const rows = await shared.sql`select problem from audit_events order by recorded desc, id desc limit 1`
  t.match(rows, [{ problem: 'outcome-unknown' }])
})
