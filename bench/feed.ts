import { loadavg } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import postgres from 'postgres'
import { importWorkbook } from './feed/import.js'
import { fillLedger, largeLedgerRows } from './feed/large-ledger.js'
import { sendMoves } from './feed/moves.js'
import { type Delays, startReaders } from './feed/readers.js'
import { withFixture } from './fixture.js'
import { serversNamed } from './servers.js'
import { circumstances, writeBetweenMarks } from './table.js'
import { accept } from './workloads/writes.js'

/**
 * How far the feed is behind: during moves at a fixed rate, and while an import of many rows writes;
 * and what asks cost on a large ledger: `npm --prefix bench run feed -- [--scale=0.1] [--rate=500]
 * [--seconds=20] [--rows=5000] [--events=1000000] [--write]`.
 */

const { values } = parseArgs({
  options: {
    scale: { type: 'string', default: '0.1' },
    rate: { type: 'string', default: '500' },
    seconds: { type: 'string', default: '20' },
    rows: { type: 'string', default: '5000' },
    events: { type: 'string', default: '1000000' },
    write: { type: 'boolean', default: false }
  }
})
const scale = Number(values.scale)
const [rate, seconds, rows, events] = [values.rate, values.seconds, values.rows, values.events].map(
  Number
) as [number, number, number, number]
/** Moves a second while an import writes. */
const QUIET_RATE = 50
/** Readers of the feed, each a provider with many orders. */
const READERS = 5

// Plans that a long-lived connection has.
await withFixture({ scale, settings: { plan_cache_mode: 'force_generic_plan' } }, async (fixture) => {
  const { sql, issuer, serve, url } = fixture
  const [kind] = serversNamed('product')
  if (!kind) return
  const lines = ['| what | events | p50 ms | p99 ms | ms at most |', '|---|---|---|---|---|']
  const add = (what: string, { count, p50, p99, most }: Delays) => {
    lines.push(`| ${what} | ${count} | ${p50} | ${p99} | ${most} |`)
    process.stderr.write(`${lines.at(-1)} (load ${loadavg()[0]?.toFixed(1)})\n`)
  }
  const prepared = await accept.prepare(sql, 1)
  const tokens = await issuer.tokensOf(prepared.callers)
  const server = await serve(kind)
  const readers = await startReaders(server.origin, prepared, tokens, READERS)
  const moves = sendMoves(server.origin, prepared, tokens)

  await moves(QUIET_RATE, 5)
  readers.take()
  const sent = await moves(rate, seconds)
  await pause(1000)
  add(`${Math.round(sent)} moves a second`, readers.take())

  for (const [what, status] of [
    ['import', 'AVAILABLE'],
    ['update', 'DISCONTINUED']
  ] as const) {
    const importing = importWorkbook(server.origin, issuer, rows, status)
    let isOver = false
    const ended = importing.finally(() => {
      isOver = true
    })
    const locks = postgres(url, { max: 1, onnotice: () => {} })
    const held = longestHold(locks, () => isOver)
    while (!isOver) await moves(QUIET_RATE, 0.5)
    const ms = await ended
    await pause(1000)
    add(`${QUIET_RATE} moves a second, ${what} of ${rows} rows (${Math.round(ms)} ms)`, readers.take())
    lines.push(`| open with events during this ${what} | | | | ${await held} |`)
    process.stderr.write(`${lines.at(-1)}\n`)
    await locks.end()
  }
  await readers.stop()
  lines.push('', ...(await largeLedgerRows(server, fixture, await fillLedger(sql, events))))
  process.stdout.write(`${lines.join('\n')}\n`)
  if (values.write) writeBetweenMarks('feed', [circumstances(scale), '', ...lines])
})

/** The longest time in ms for which one transaction held the lock of the ledger. */
async function longestHold(sql: postgres.Sql, isOver: () => boolean): Promise<number> {
  const since = new Map<string, number>()
  let longest = 0
  while (!isOver()) {
    const now = performance.now()
    const rows = await sql<{ id: string }[]>`
      select distinct virtualtransaction as id from pg_locks where relation = 'events'::regclass and mode = 'RowExclusiveLock'`
    const open = new Set(rows.map(({ id }) => id))
    for (const id of since.keys()) if (!open.has(id)) since.delete(id)
    for (const id of open) {
      const start = since.get(id) ?? now
      since.set(id, start)
      longest = Math.max(longest, now - start)
    }
    await pause(10)
  }
  return Math.round(longest)
}
