import { connect } from './database.js'
import { percentile } from './driver.js'
import { withFixture } from './fixture.js'
import { serverNamed } from './servers.js'
import { publish, readOptions, shown, startTable } from './table.js'
import { takeTurns, workloadsNamed } from './turns.js'

/**
 * Compares a server with one tenth and with all of the data, in turns:
 * `npm --prefix bench run growth -- [--scale=1] [--works=w1] [--server=product] [--pairs=5]
 * [--connections=8] [--seconds=5] [--write]`.
 */

const options = readOptions({
  ...{ scale: '1', works: '', server: 'product', pairs: '5', connections: '8', seconds: '5' }
})
const scale = Number(options.scale)
const kind = serverNamed(options.server)
const table = startTable('workload | a tenth, requests/s | whole, requests/s | whole / tenth')

await withFixture({ scale }, async (fixture) => {
  const { database, url, sql } = fixture
  const tenthUrl = await database.copy('bench_tenth', scale / 10)
  const tenth = connect(tenthUrl)
  for (const workload of workloadsNamed(options.works)) {
    const [turns = []] = await takeTurns(
      fixture,
      workload,
      [
        { kind, databaseUrl: tenthUrl, sql: tenth },
        { kind, databaseUrl: url, sql }
      ],
      {
        pairs: Number(options.pairs),
        seconds: Number(options.seconds),
        connections: [Number(options.connections)]
      }
    )
    const median = (of: (turn: (typeof turns)[number]) => number) => percentile(turns.map(of), 0.5)
    table.add(
      `${workload.name.toUpperCase()} ${workload.title}`,
      shown(median(([small]) => small.perSecond)),
      shown(median(([, whole]) => whole.perSecond)),
      median(([small, whole]) => whole.perSecond / small.perSecond).toFixed(2)
    )
  }
  await tenth.end()
  await database.drop('bench_tenth')
})
publish('growth', options, table)
