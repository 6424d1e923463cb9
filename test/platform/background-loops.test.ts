import t from 'tap'
import { testApp } from '../fixtures/app.js'
import { clockOf } from '../fixtures/clock.js'
import { idOf } from '../fixtures/routes/addresses.js'
import { contract, subscription } from '../fixtures/routes/bodies.js'
import { recordStatements } from '../fixtures/sent-statements.js'
import { until } from '../fixtures/waiting.js'
import { orders, organization, pathOf, world } from '../fixtures/world.js'

const HOUR_MS = 3_600_000

/** The texts of warnings and errors. */
const warningsIn = (lines: readonly string[]): string[] =>
  lines
    .map((line) => JSON.parse(line))
    .filter(({ level }) => level >= 40)
    .map(({ msg }) => msg)

interface Loop {
  name: string
  /** The log line of a failed round. */
  message: string
  /** The failing statement of each round. */
  statement: RegExp
  cause: string
  end: string
  /** Makes work for the loop. */
  prepare: () => Promise<unknown>
  runRound: () => void
  isWorkDone: () => Promise<boolean>
}

/** Fails changes of rows with an error whose message has the name of a patient. */
const failing = (event: string, table: string, condition = 'true') => ({
  cause: `create trigger fault before ${event} on ${table} for each row when (${condition}) execute function fail()`,
  end: `drop trigger fault on ${table}`
})

t.test('a background loop', async (t) => {
  const rounds: { run: () => void; intervalMs: number }[] = []
  const { setInterval } = globalThis
  t.intercept(globalThis, 'setInterval', {
    value(run: () => void, intervalMs: number) {
      rounds.push({ run, intervalMs })
      return setInterval(run, intervalMs)
    }
  })
  const clock = clockOf(t)
  const app = await testApp(t)
  await app.app.listen({ host: '127.0.0.1', port: 0 })
  const { sql, lines } = app
  const w = await world(app)
  const sent = recordStatements(app.app)
  await sql.unsafe(`create function fail() returns trigger language plpgsql
    as $$ begin raise exception 'Rasmus Receiver'; end $$`)
  const every =
    (hours: number, interval = hours * HOUR_MS) =>
    () => {
      for (const { run, intervalMs } of rounds) if (intervalMs === interval) run()
    }
  const from = organization('former')
  let path = ''
  const subscribe = async () => {
    path = pathOf(await w.nurse.create(`${orders}/subscription`, subscription))
  }
  const lookAtSubscriptions = () => clock.pass(2000)
  const isAttempted = async () => (await w.nurse.get(path, 200)).body.attempts.length > 0

  const loops: Loop[] = [
    {
      name: 'reports contracts that are about to end',
      message: 'Failed to report expiring contracts',
      statement: /^update "contracts" set .*"expiry_reported"/,
      ...failing('update', 'contracts'),
      async prepare() {
        const end = new Date(Date.now() + 10 * 24 * HOUR_MS)
        await w.clerk.create(`${orders}/contract/`, {
          ...contract(w),
          reminderDays: 30,
          validityPeriod: {
            start: [2020, 1, 1],
            end: [end.getUTCFullYear(), end.getUTCMonth() + 1, end.getUTCDate()]
          }
        })
      },
      runRound: every(1),
      isWorkDone: async () => (await sql`select from events where type = 'contract.expiring'`).length === 1
    },
    {
      name: 'reports overdue orders',
      message: 'Failed to report overdue orders and near deliveries',
      statement: /^insert into "reminders"/,
      ...failing('insert', 'reminders'),
      async prepare() {
        const { order } = await w.submitted()
        await sql`update orders set submitted_at = '2026-01-01', answer_due_at = '2026-01-04' where id = ${idOf(order)}`
      },
      runRound: every(1),
      isWorkDone: async () => (await sql`select from events where type = 'order.overdue'`).length === 1
    },
    {
      name: 'deletes expired idempotency keys',
      message: 'Cannot delete expired idempotency keys',
      statement: /^delete from "idempotency_keys"/,
      ...failing('delete', 'idempotency_keys'),
      prepare: () => sql`
        insert into idempotency_keys (id, request, result, created_at)
        values ('key', '', '{}', now() - interval '2 days')`,
      runRound: every(1),
      isWorkDone: async () => (await sql`select from idempotency_keys`).length === 0
    },
    {
      name: 'reads which organizations were replaced',
      message: 'Cannot read which organizations were replaced',
      statement: /from "replaced_organizations"/,
      cause: 'alter table replaced_organizations rename to renamed',
      end: 'alter table renamed rename to replaced_organizations',
      prepare: () => sql`insert into renamed values (${from}, ${organization('present')})`,
      runRound: every(0, 5000),
      isWorkDone: async () => app.app.replacedOrganizations.replacementOf(from) !== undefined
    },
    {
      name: 'makes partitions',
      message:
        'Cannot make the partitions of audit events and events. Without them requests on patients and changes are rejected.',
      statement: /prepare_event_partitions/,
      cause: 'alter function prepare_event_partitions() rename to renamed',
      end: 'alter function renamed() rename to prepare_event_partitions',
      prepare: () =>
        sql.unsafe(`do $$ begin execute (select 'drop table ' || max(inhrelid::regclass::text)
          from pg_inherits where inhparent = 'events'::regclass); end $$`),
      runRound: every(6),
      isWorkDone: async () =>
        (await sql`select from pg_inherits where inhparent = 'events'::regclass`).length === 4
    },
    {
      name: 'looks for subscriptions',
      message: 'Cannot scan the subscriptions',
      statement: /^\s*update "subscription_deliveries" d set lease/,
      ...failing('update', 'subscription_deliveries'),
      prepare: subscribe,
      runRound: lookAtSubscriptions,
      isWorkDone: isAttempted
    },
    {
      name: 'delivers',
      message: 'Deliveries of a subscription failed',
      statement: /^update "subscription_deliveries" set .*"lease_until" = now\(\)/,
      ...failing(
        'update',
        'subscription_deliveries',
        'new.lease = old.lease and new.lease_until <> old.lease_until'
      ),
      prepare: subscribe,
      runRound: lookAtSubscriptions,
      isWorkDone: isAttempted
    }
  ]
  for (const { name, message, statement, cause, end, prepare, runRound, isWorkDone } of loops)
    t.test(`that ${name} logs each failure once, and continues`, async (t) => {
      const [warned, started] = [warningsIn(lines).length, sent.length]
      const warnings = () => warningsIn(lines).slice(warned)
      const failures = () => sent.slice(started).filter(({ text }) => statement.test(text)).length
      await sql.unsafe(cause)
      await prepare()
      for (const count of [1, 2]) {
        runRound()
        await until(() => failures() >= count && warnings().length >= failures())
        t.same(
          warnings(),
          Array.from({ length: failures() }, () => message)
        )
      }
      t.notOk(await isWorkDone())
      await sql.unsafe(end)
      runRound()
      await until(isWorkDone)
    })

  t.test('that delivers releases a lease that it could not release before', async (t) => {
    const { cause, end } = failing('update', 'subscription_deliveries', 'new.lease is null')
    const held = () => sql`select from subscription_deliveries
      where lease is not null and subscription_id::text = ${path.split('/').at(-1) ?? ''}`
    await sql.unsafe(cause)
    await subscribe()
    const warned = warningsIn(lines).length
    await until(() => warningsIn(lines).length > warned)
    t.equal((await held()).length, 1)
    await sql`update subscription_deliveries set lease_until = now() + interval '1 day' where lease is not null`
    await sql.unsafe(end)
    lookAtSubscriptions()
    await until(async () => (await held()).length === 0)
  })
})
