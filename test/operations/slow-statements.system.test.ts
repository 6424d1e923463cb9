import postgres from 'postgres'
import t from 'tap'
import { startEmbeddedPostgres } from '../../src/embedded-postgres/index.js'
import { runbook, sectionsOf } from '../fixtures/prometheus/documents.js'
import { temporaryFolder } from '../fixtures/server.js'

const planted = 'Zaphod-4711'

t.test('the runbook enables pg_stat_statements, which then shows statements without values', async (t) => {
  const [section = ''] = sectionsOf(runbook).flatMap((each) =>
    each.name === 'Slow statements' ? [each.section] : []
  )
  const [preload = '', create = '', list = ''] = [...section.matchAll(/^```sql\n([\s\S]*?)^```$/gm)].map(
    ([, text]) => text
  )
  const dataDir = temporaryFolder(t)
  const start = async () => {
    const server = await startEmbeddedPostgres({ dataDir, settings: { fsync: 'off' } })
    const sql = postgres(server.url, { max: 1, onnotice: () => {} })
    const stop = async () => {
      await sql.end()
      await server.stop()
    }
    t.teardown(stop)
    return { sql, stop }
  }
  const first = await start()
  await first.sql.unsafe(preload)
  await first.stop()
  const { sql } = await start()
  for (const line of create.trim().split('\n')) await sql.unsafe(line)
  await sql`select ${planted} as parameter`
  await sql.unsafe(`select '${planted}' as constant`)
  const rows: { statement: string }[] = await sql.unsafe(list)
  const statements = rows.map(({ statement }) => statement)
  for (const name of ['parameter', 'constant']) t.ok(statements.includes(`select $1 as ${name}`), name)
  t.notMatch(statements.join(), planted)
})
