import { setTimeout as pause } from 'node:timers/promises'
import postgres, { type Sql } from 'postgres'
import t from 'tap'
import { differencesIn } from '../fixtures/copies.js'
import { effort } from '../fixtures/effort.js'
import { startConsumer } from '../fixtures/events/consumer.js'
import { fromSubmission, type LedgerRow, ledgerOf } from '../fixtures/events/ledger-checks.js'
import { countOutcomes, instanceAt, instanceSettings, underWriters } from '../fixtures/history/run.js'
import { historyFindings } from '../fixtures/history/stored.js'
import { endConnections, kill } from '../fixtures/kill.js'
import { killablePostgres } from '../fixtures/killable-postgres.js'
import { callersOf } from '../fixtures/over-http.js'
import { idOf } from '../fixtures/routes/addresses.js'
import { freePort, type Server, startServer } from '../fixtures/server.js'
import { moveTo, pathOf, world } from '../fixtures/world.js'

/** Kills of instances. */
const KILLS = 3 * effort

t.test('events are complete and in order while instances and PostgreSQL are killed', async (t) => {
  const database = await killablePostgres(t)
  const ports = [String(await freePort()), String(await freePort())]
  const start = (PORT: string) => startServer(t, { ...instanceSettings, DATABASE_URL: database.url, PORT })
  const servers: Server[] = []
  for (const port of ports) servers.push(await start(port))
  for (const server of servers) await server.ready()
  const urls = servers.map(({ url }) => url)
  const w = await world({ as: callersOf(urls[0] ?? '') })
  const consumers = {
    buyer: startConsumer(t, urls, 'batch', 'MonitoringResponsible', 'region'),
    seller: startConsumer(t, urls, 'stream', 'Provider', 'provider')
  }
  const everyConsumer = Object.values(consumers)
  const check = () => {
    for (const { process, output } of servers)
      if (process.exitCode !== null) throw new Error(`A server ended: ${output()}`)
  }
  /** What fails after each kill of an instance. */
  const faults = [
    () => database.kill('SIGKILL'),
    () => endConnections(database.url),
    () => database.kill('SIGQUIT')
  ]
  const run = await underWriters(
    { name: 'kills', world: w, instances: urls.map(instanceAt), check },
    async (progress) => {
      /** Waits until each consumer got more, too. */
      const progressOfAll = async () => {
        const before = everyConsumer.map(({ received }) => received.length)
        await progress()
        while (everyConsumer.some(({ received }, at) => received.length === before[at])) {
          check()
          await pause(10)
        }
      }
      for (let at = 0; at < KILLS; at++) {
        await progressOfAll()
        everyConsumer[at % everyConsumer.length]?.restart()
        const index = at % servers.length
        await kill((servers[index] as Server).process)
        const server = await start(ports[index] ?? '')
        servers[index] = server
        await server.ready()
        await progressOfAll()
        await faults[at % faults.length]?.()
      }
      await progressOfAll()
    }
  )

  const sql = postgres(database.url, { max: 1, onnotice: () => {} })
  t.teardown(() => sql.end({ timeout: 0 }))
  // What happens last in the ledger is delivered last.
  const last = await w.createDraft()
  await w.addLine(last)
  await w.nurse.patch(pathOf(last), moveTo('SUBMITTED'), 204)
  const ledger = await ledgerOf(sql)
  t.comment(`${KILLS} kills, ${ledger.length} events, ${countOutcomes(run)}`)
  t.same((await historyFindings(sql, run)).slice(0, 10), [], 'the ledger has what happened to orders')
  t.same(await differencesIn(sql), [])
  t.same(run.unexpected, [])
  t.ok(
    run.attempts.some(({ outcome }) => outcome !== 'acknowledged'),
    'the kills were noticed'
  )
  t.ok(run.attempts.length > 20 * KILLS)

  // Readers get an event of a draft only until it is deleted.
  const deletedIds = await deletedOrders(sql)
  const feed = ledger.filter(
    ({ type, owner_id }) =>
      !/^(catalogue|annotation|white|import)/.test(type) && !deletedIds.includes(owner_id)
  )
  const expected = { buyer: feed, seller: fromSubmission(feed) }
  for (const side of ['buyer', 'seller'] as const)
    t.test(`the ${side} gets each event once, in the order of the ledger`, async (t) => {
      const end = expected[side].at(-1)?.id
      const { received } = consumers[side]
      while (!received.some(({ events }) => events.some(({ id }) => id === end))) await pause(20)
      const events = received.flatMap((line) => line.events)
      t.equal(new Set(events.map(({ id }) => id)).size, events.length)
      const ids = events.filter(({ subject }) => !deletedIds.includes(idOf(subject))).map(({ id }) => id)
      t.same(differences(ids, expected[side]), [])
      const faults = received.flatMap((line) => line.faults)
      const ofDeleted = deletedIds.map((id) => `order.created of ${id}, which answers 404`)
      t.same(
        faults.filter((fault) => !ofDeleted.includes(fault)).slice(0, 10),
        [],
        'each change can be read with its event'
      )
      t.notMatch(JSON.stringify(received), /Zaphod|Rasmus|Patient/, 'no event names a patient')
    })
  t.test('the instances stop', async (t) => {
    for (const server of servers) t.equal(await server.stop(), 0)
  })
})

const deletedOrders = async (sql: Sql) =>
  (await sql<{ id: string }[]>`select id from orders where deleted_at is not null`).map(({ id }) => id)

/** The first events that differ from the expected ones. */
function differences(ids: readonly string[], expected: readonly LedgerRow[]): string[] {
  const found = new Set(ids)
  const missing = expected.filter(({ id }) => !found.has(id)).map(({ id, type }) => `missing: ${type} ${id}`)
  const unseen = new Set(ids)
  const repeated = ids.filter((id) => !unseen.delete(id)).map((id) => `repeated: ${id}`)
  const wrong = ids.findIndex((id, at) => id !== expected[at]?.id)
  const moved = wrong < 0 ? [] : [`the event ${wrong} is ${ids[wrong]}, not ${expected[wrong]?.id}`]
  const short = ids.length === expected.length ? [] : [`${ids.length} events, not ${expected.length}`]
  return [...missing.slice(0, 5), ...repeated.slice(0, 5), ...moved, ...short]
}
