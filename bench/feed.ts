import { setTimeout as pause } from 'node:timers/promises'
import { call } from './client.js'
import { connect } from './database.js'
import { percentile } from './driver.js'
import { longestHold, startReaders } from './feed/delays.js'
import { readLargeLedger } from './feed/large-ledger.js'
import { withFixture } from './fixture.js'
import { product } from './servers.js'
import { publish, readOptions, shown, startTable } from './table.js'
import { devicesWorkbook } from './workbook.js'
import { accept } from './workloads/writes.js'

/**
 * How far the feed is behind: during moves at a fixed rate, and while an import of many rows writes;
 * and what asks cost on a large ledger: `npm --prefix bench run feed -- [--scale=0.1] [--rate=500]
 * [--seconds=20] [--rows=5000] [--events=1000000] [--write]`.
 */

const options = readOptions({
  ...{ scale: '0.1', rate: '500', seconds: '20', rows: '5000', events: '1000000' }
})
/** Moves a second while an import writes. */
const QUIET_RATE = 50
/** Readers of the feed, each a provider with many orders. */
const READERS = 5

// Plans that a long-lived connection has.
const settings = { plan_cache_mode: 'force_generic_plan' }
await withFixture({ scale: Number(options.scale), settings }, async (fixture) => {
  const { sql, url, load, tokensOf, serve } = fixture
  const prepared = await accept.prepare(sql)
  const tokens = await tokensOf(prepared.callers)
  const server = await serve(product)
  const { origin } = server
  const readers = startReaders(origin, prepared, tokens, READERS)
  const table = startTable('what | events | p50 ms | p99 ms | ms at most')
  const addDelays = async (what: string) => {
    await pause(1000)
    const delays = readers.take()
    const figures = [percentile(delays, 0.5), percentile(delays, 0.99), Math.max(...delays)]
    table.add(what, delays.length, ...figures.map(shown))
  }

  /** Sends the next requests at a fixed rate, each once, and returns the responses a second. */
  let sent = 0
  async function move(perSecond: number, seconds: number): Promise<number> {
    const count = Math.ceil(perSecond * seconds)
    const requests = prepared.requests.slice(sent, sent + count)
    if (requests.length < count)
      throw new Error('There are no more orders to accept. Take a larger --scale, or a lower --rate.')
    sent += count
    const expected = { status: accept.status, minBytes: 0 }
    const round = await load.play({
      origin,
      tokens,
      requests,
      connections: 64,
      perSecond,
      once: true,
      expected
    })
    if (round.errors.length > 0) throw new Error(round.errors.join('\n'))
    return round.responses / round.seconds
  }

  const organization = 'https://fhir.example/Organization/bench'
  const [clerk = ''] = await tokensOf([{ userType: 'AdministrativeClerk', organization }])
  const seller = { allowedRoles: ['SELLER'], name: 'feed', organization }
  await call(origin, clerk, 'POST', '/ssl-order/v1/party', seller)

  /** Creates a catalogue from a workbook, or replaces the content of the one at the path. */
  async function importRows(status: string, path: string) {
    const file = new FormData()
    const content = await devicesWorkbook(Number(options.rows), seller.name, status)
    file.append('file', new Blob([new Uint8Array(content)]), 'feed.xlsx')
    const began = performance.now()
    const response = await call(origin, clerk, path === imports ? 'POST' : 'PUT', path, file)
    return { ms: performance.now() - began, location: response.headers.get('location') ?? path }
  }

  await move(QUIET_RATE, 5)
  readers.take()
  await addDelays(`${Math.round(await move(Number(options.rate), Number(options.seconds)))} moves a second`)

  const imports = '/ssl-catalogue-excel/v1/catalogue'
  let path = imports
  const locks = connect(url)
  for (const [what, status] of [
    ['import', 'AVAILABLE'],
    ['update', 'DISCONTINUED']
  ] as const) {
    let isOver = false
    const importing = importRows(status, path).finally(() => {
      isOver = true
    })
    const held = longestHold(locks, () => isOver)
    while (!isOver) await move(QUIET_RATE, 0.5)
    const { ms, location } = await importing
    path = `${imports}/${location.split('/').at(-1)}`
    await addDelays(`${QUIET_RATE} moves a second, ${what} of ${options.rows} rows (${shown(ms)} ms)`)
    table.add(`open with events during this ${what}`, '', '', '', shown(await held))
  }
  await locks.end()
  await readers.stop()
  publish('feed', options, table, await readLargeLedger(server, fixture, Number(options.events)))
})
