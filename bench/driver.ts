import { parseArgs } from 'node:util'
import postgres from 'postgres'
import { createPool } from '../src/db/driver/pool.js'
import { startDatabase } from './database.js'
import { circumstances, writeBetweenMarks } from './table.js'

/**
 * Processor time per statement at first and after many, with the pool of the product and with that
 * of the driver, both never idle:
 * `npm --prefix bench run driver -- [--first=50000] [--until=500000] [--write]`.
 */

const { values } = parseArgs({
  options: {
    first: { type: 'string', default: '50000' },
    until: { type: 'string', default: '500000' },
    write: { type: 'boolean', default: false }
  }
})
const [first, until] = [Number(values.first), Number(values.until)]
const size = 10
/** Fewer than the connections, and always some. */
const underWay = 3

type Ask = () => PromiseLike<unknown>

/** Microseconds of processor time per statement, over `count` statements. */
async function costOf(ask: Ask, statements: number, atOnce = underWay): Promise<number> {
  const before = process.cpuUsage()
  let left = statements
  const lane = async () => {
    while (left-- > 0) await ask()
  }
  await Promise.all(Array.from({ length: atOnce }, lane))
  const { user, system } = process.cpuUsage(before)
  return (user + system) / statements
}

async function measured(name: string, ask: Ask): Promise<string> {
  // Opens all connections, as after a busy hour.
  await costOf(ask, first, size)
  const costs: number[] = []
  for (let sent = first; sent < until; sent += first) costs.push(await costOf(ask, first))
  const [begin = 0, end = 0] = [costs[0], costs.at(-1)]
  return `| ${name} | ${begin.toFixed(1)} | ${end.toFixed(1)} | ${(end / begin).toFixed(2)} |`
}

const database = await startDatabase()
try {
  const url = await database.empty('driver')
  const client = createPool(url, size, { onnotice: () => {} })
  const own = postgres(url, { max: size, onnotice: () => {} })
  const lines = [
    `| connections of | µs at first | µs after ${until} | ratio |`,
    '|---|---|---|---|',
    await measured('the product', () => client.unsafe('select 1')),
    await measured('postgres.js', () => own.unsafe('select 1', [], { prepare: true }))
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
  if (values.write) writeBetweenMarks('driver', [circumstances(), '', ...lines])
  await Promise.all([client, own].map((each) => each.end()))
} finally {
  await database.stop()
}
