import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import postgres from 'postgres'
import t, { type Test } from 'tap'
import { unsignedToken } from '../../src/home/unsigned-token.js'
import type { UserType } from '../../src/platform/auth/caller.js'
import { compiled } from '../fixtures/compiled.js'
import { thorough } from '../fixtures/effort.js'
import type { ConsumerMode, Received } from '../fixtures/events/consumer.js'
import { fromSubmission, type LedgerRow, ledgerFaults, ledgerOf } from '../fixtures/events/ledger-checks.js'
import { type Acknowledged, idOf, inTurns, orderWriter } from '../fixtures/events/order-writer.js'
import { callersOf } from '../fixtures/failover/over-http.js'
import { killablePostgres } from '../fixtures/killable-postgres.js'
import { freePort, type Server, startServer, temporaryFolder } from '../fixtures/server.js'
import { organization, world } from '../fixtures/world.js'

/**
 * Kills instances, PostgreSQL and consumers while orders change, and compares what the consumers
 * got with the ledger and with the orders.
 *
 * Longer: `npm run prove -- events`.
 */

/** Kills of instances. For each five of them PostgreSQL is killed once. */
const kills = Number(process.env.EVENT_KILLS ?? (thorough ? 10 : 2))
const WRITERS = 8
const PUBLIC_URL = 'http://ssl.example'

/** Kills a process. Its output may stay open in processes that it started. */
async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}

/** A consumer that can be killed and started again. */
function startConsumer(t: Test, urls: readonly string[], mode: ConsumerMode, userType: UserType, of: string) {
  const record = join(temporaryFolder(t), 'received')
  writeFileSync(record, '')
  const program = compiled('test/fixtures/events/consumer.ts')
  const errors: string[] = []
  function start(): ChildProcess {
    const child = spawn(process.execPath, [program], {
      env: {
        ...{ URLS: urls.join(' '), RECORD: record, MODE: mode },
        TOKEN: unsignedToken({ userType, organization: organization(of) })
      },
      // It ends when its input does, with the test.
      stdio: ['pipe', 'inherit', 'pipe']
    })
    child.stderr?.setEncoding('utf8').on('data', (text) => errors.push(text))
    return child
  }
  let child = start()
  t.teardown(() => kill(child))
  return {
    async restart(): Promise<void> {
      await kill(child)
      child = start()
    },
    assertRunning() {
      if (child.exitCode !== null)
        throw new Error(`The consumer ended with ${child.exitCode}: ${errors.join('')}`)
    },
    /** Bytes that it has recorded. */
    size: () => statSync(record).size,
    /** What it has recorded; a line that is being written is left out. */
    received: (): Received[] =>
      readFileSync(record, 'utf8')
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line))
  }
}

t.test(
  'each change has its event once and in order, while instances, PostgreSQL and consumers are killed',
  async (t) => {
    const database = await killablePostgres(t)
    const ports = [String(await freePort()), String(await freePort())]
    const start = (PORT: string) =>
      startServer(t, {
        ...{ DATABASE_URL: database.url, PORT, PUBLIC_URL, LOG_LEVEL: 'fatal', REQUEST_TIMEOUT: '3000' }
      })
    const servers: Server[] = []
    for (const port of ports) servers.push(await start(port))
    for (const server of servers) await server.ready()
    const urls = servers.map(({ url }) => url)
    const w = await world({ as: callersOf(urls[0] ?? '') } as never)
    const consumers = [
      startConsumer(t, urls, 'batch', 'MonitoringResponsible', 'region'),
      startConsumer(t, urls, 'stream', 'Provider', 'provider')
    ] as const
    const acknowledged: Acknowledged = { changes: [], repeats: 0, unexpected: [] }
    const anyInstance = inTurns(
      urls.map((url) => ({
        nurse: callersOf(url)('MonitoringResponsible', organization('region')),
        provider: callersOf(url)('Provider', organization('provider'))
      }))
    )
    let isWriting = true
    const writers = Array.from({ length: WRITERS }, () =>
      orderWriter(w, anyInstance, acknowledged, () => isWriting)
    )
    /** Waits until more changes are acknowledged, and until each consumer got more. */
    async function progress(): Promise<void> {
      const counts = () => [acknowledged.changes.length / 20, ...consumers.map(({ size }) => size())]
      const before = counts()
      while (counts().some((count, at) => count < (before[at] ?? 0) + 1)) {
        for (const { assertRunning } of consumers) assertRunning()
        for (const { process, output } of servers)
          if (process.exitCode !== null) throw new Error(`A server ended: ${output()}`)
        await pause(10)
      }
    }

    for (let at = 0; at < kills; at++) {
      await progress()
      await consumers[at % consumers.length]?.restart()
      const index = at % servers.length
      await kill((servers[index] as Server).process)
      const server = await start(ports[index] ?? '')
      servers[index] = server
      await server.ready()
      if (at % 5 !== 1) continue
      await progress()
      await database.kill()
    }
    await progress()
    isWriting = false
    await Promise.all(writers)

    const sql = postgres(database.url, { max: 1, onnotice: () => {} })
    t.teardown(() => sql.end({ timeout: 0 }))
    // What happens last in the ledger is delivered last.
    const last = await w.createDraft()
    await w.addLine(last)
    await w.nurse.patch(
      new URL(last).pathname,
      [{ op: 'replace', path: '/status/code', value: 'SUBMITTED' }],
      204
    )
    const ledger = await ledgerOf(sql)
    const feed = ledger.filter(({ type }) => !/^(catalogue|annotation|white|import)/.test(type))
    const expected = [feed, fromSubmission(feed)] as const
    for (const [at, { received }] of consumers.entries()) {
      const end = expected[at]?.at(-1)?.id
      while (!received().some(({ events }) => events.some(({ id }) => id === end))) await pause(20)
    }

    const faults = await ledgerFaults(sql, ledger, acknowledged)
    t.same(faults.slice(0, 10), [], 'the ledger has what happened to orders, in order')
    for (const [at, { received }] of consumers.entries()) {
      const lines = received()
      const text = at === 0 ? 'the buyer' : 'the seller'
      t.same(
        lines.flatMap((line) => line.faults).slice(0, 10),
        [],
        `${text} can read each change with its event`
      )
      const ids = lines.flatMap(({ events }) => events.map(({ id }) => id))
      t.same(
        differences(ids, expected[at] ?? []),
        [],
        `${text} got each event once, in the order of the ledger`
      )
      t.notMatch(JSON.stringify(lines), /Zaphod|Rasmus|Patient/, 'no event names a patient')
    }
    t.same(acknowledged.unexpected, [])
    t.ok(acknowledged.changes.length > 20 * kills)
    t.comment(
      JSON.stringify({ kills, events: ledger.length, repeats: acknowledged.repeats, last: idOf(last) })
    )
    for (const server of servers) t.equal(await server.stop(), 0)
  }
)

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
