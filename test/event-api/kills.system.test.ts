import { EventEmitter, once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import postgres, { type Sql } from 'postgres'
import t, { type Test } from 'tap'
import { startEmbeddedPostgres } from '../../src/embedded-postgres/index.js'
import type { UserType } from '../../src/platform/auth/caller.js'
import { callersOf, tokenOf } from '../fixtures/callers.js'
import { differencesIn } from '../fixtures/copies.js'
import { effort } from '../fixtures/effort.js'
import { fromSubmission, type LedgerRow, ledgerOf } from '../fixtures/events/ledger-checks.js'
import { type Event, messagesOf } from '../fixtures/events/reading.js'
import { historyFindings } from '../fixtures/history/check.js'
import { countOutcomes, instanceAt, instanceSettings, runWithWriters } from '../fixtures/history/run.js'
import { endConnections, kill, postmasterOf } from '../fixtures/kill.js'
import { idOf } from '../fixtures/routes/addresses.js'
import { freePort, type Server, startServer, temporaryFolder } from '../fixtures/server.js'
import { until } from '../fixtures/waiting.js'
import { pathOf, transitionTo, world } from '../fixtures/world.js'

/** A PostgreSQL that a test kills. Acknowledged commits survive the end of its processes. */
interface KillablePostgres {
  url: string
  /** Kills the server, and restarts it on its port. */
  kill(signal?: NodeJS.Signals): Promise<void>
}

/** Starts a PostgreSQL that ends with the test. */
async function killablePostgres(t: Test): Promise<KillablePostgres> {
  const dataDir = temporaryFolder(t)
  // Without fsync only a crash of the machine loses data.
  const settings = { fsync: 'off', max_connections: '200', port: String(await freePort()) }
  const events = new EventEmitter()
  const start = () => startEmbeddedPostgres({ dataDir, settings, failed: () => events.emit('exit') })
  let server = await start()
  t.teardown(() => server.stop())
  return {
    url: server.url,
    async kill(signal = 'SIGKILL') {
      const exited = once(events, 'exit')
      process.kill(postmasterOf(dataDir), signal)
      await exited
      await server.stop()
      server = await start()
    }
  }
}

/** The content of one response or message. */
interface Received {
  events: Event[]
  /** The cursor of the next request. */
  after: string
  /** The differences between the last event and the API, and unexpected responses. */
  faults: string[]
}

const path = '/ssl-order/v1/events'
const RETRY_DELAY_MS = 50
/** Limits the wait for a request whose server was killed. */
const MAX_REQUEST_MS = 30_000
/**
 * Statuses of an order in sequence. Lines may return to an earlier status, except from a final
 * status.
 */
const ranks = ['DRAFT', 'SUBMITTED', 'ACCEPTED', 'FULFILLED']
const lastOfLine = ['FULFILLED', 'CANCELLED']

/** A response that no consumer should get. */
class Unexpected extends Error {}

/**
 * A consumer of the order feed at instances that may be killed. The consumer ends with the test.
 */
function startConsumer(
  t: Test,
  urls: readonly string[],
  mode: 'batch' | 'stream',
  userType: UserType,
  of: string
) {
  const authorization = tokenOf(userType, of)
  const received: Received[] = []
  let isOver = false
  let request = new AbortController()

  async function get(url: string, query: string, headers: Record<string, string> = {}) {
    const signal = AbortSignal.any([request.signal, AbortSignal.timeout(MAX_REQUEST_MS)])
    const response = await fetch(`${url}${path}${query}`, { headers: { authorization, ...headers }, signal })
    if (response.status === 503) throw new Error('The server is away.')
    if (!response.ok) throw new Unexpected(`${response.status} ${await response.text()}`)
    return response
  }

  async function read(url: string, after: string): Promise<void> {
    if (mode === 'stream') {
      const response = await get(url, '', { accept: 'text/event-stream', 'last-event-id': after })
      for await (const { id, data } of messagesOf(response))
        if (data !== undefined) await record(url, [JSON.parse(data)], id)
      return
    }
    const response = await get(url, `?wait=2&limit=40${after === '' ? '' : `&after=${after}`}`)
    const next = /[?&]after=([^&>]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1] ?? ''
    await record(url, (await response.json()) as Event[], next)
  }

  /** Keeps events, and checks that the change of the last one can be read as soon as the event. */
  async function record(url: string, events: Event[], after: string): Promise<void> {
    if (events.length === 0) return
    const entry: Received = { events, after, faults: [] }
    received.push(entry)
    // A killed server does not respond.
    entry.faults = await changeFaults(url, authorization, events.at(-1)).catch(() => [])
  }

  const reading = (async () => {
    for (let turn = 0; !isOver; turn++) {
      const after = received.at(-1)?.after ?? ''
      await read(urls[turn % urls.length] ?? '', after).catch((error) => {
        if (error instanceof Unexpected) received.push({ events: [], after, faults: [error.message] })
      })
      await pause(RETRY_DELAY_MS)
    }
  })()
  t.teardown(() => {
    isOver = true
    request.abort()
    return reading
  })
  return {
    received,
    /** Aborts the current request. The consumer continues after its last event. */
    restart(): void {
      request.abort()
      request = new AbortController()
    }
  }
}

async function changeFaults(url: string, authorization: string, event?: Event): Promise<string[]> {
  const { newStatus } = event?.data ?? {}
  if (!event?.type.startsWith('order') || newStatus === undefined) return []
  const { pathname } = new URL(event.subject)
  const response = await fetch(`${url}${pathname}`, { headers: { authorization } })
  if (response.status === 503) return []
  if (response.status !== 200)
    return [`${event.type} of ${pathname.split('/').at(-1)}, which answers ${response.status}`]
  const { status } = (await response.json()) as { status: { code: string } }
  const isEarlier = event.type.startsWith('order-line')
    ? lastOfLine.includes(newStatus) && status.code !== newStatus
    : ranks.indexOf(status.code) < ranks.indexOf(newStatus)
  return isEarlier ? [`${event.type} to ${newStatus}, but the status is ${status.code}`] : []
}

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
  /** The failures after each kill of an instance. */
  const faults = [
    () => database.kill('SIGKILL'),
    () => endConnections(database.url),
    () => database.kill('SIGQUIT')
  ]
  const run = await runWithWriters(
    { name: 'kills', world: w, instances: urls.map(instanceAt), check },
    async (progress) => {
      /** Waits until each consumer has also received more events. */
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
  // The last event of the ledger is delivered last.
  const last = await w.createDraft()
  await w.addLine(last)
  await w.nurse.patch(pathOf(last), transitionTo('SUBMITTED'), 204)
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
      await until(() => received.some(({ events }) => events.some(({ id }) => id === end)))
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
