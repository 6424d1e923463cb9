import { sql } from 'drizzle-orm'
import t from 'tap'
import { connect } from '../../src/db/driver/database.js'
import { pageRows, type RowsQuery } from '../../src/db/sql/page.js'
import { cloneDatabase } from '../fixtures/app.js'

const { db, close } = connect({ url: await cloneDatabase(t), maxConnections: 2, statementTimeoutMs: 10_000 })
t.teardown(close)
await db.execute(sql`create table texts (id int primary key, text text not null,
  json_bytes int generated always as (octet_length(text)) stored)`)
await db.execute(sql`alter table texts alter text set storage external`)

const rowsQuery: RowsQuery = {
  table: 'texts',
  size: sql`texts.json_bytes`,
  from: sql`from texts`,
  where: sql`texts.id > 0`,
  orderBy: sql`texts.id desc`
}

// test/limits/page-bytes.test.ts reads pages of each list.
t.test('the long values of rows beyond the byte limit are not read', async (t) => {
  await db.execute(sql`insert into texts select n, repeat('x', 1000000) from generate_series(1, 10) n`)
  const buffersWithin = async (bytes: number) => {
    const page = pageRows(rowsQuery, { rows: 11, bytes })
    const [row] = await db.execute<{ 'QUERY PLAN': [{ Plan: Record<string, number> }] }>(
      sql`explain (analyze, buffers, format json) select id, md5(text), found from ${page} order by id desc`
    )
    const plan = row?.['QUERY PLAN'][0].Plan ?? {}
    return Number(plan['Shared Hit Blocks']) + Number(plan['Shared Read Blocks'])
  }
  const pages = 1_000_000 / 8192
  const [one, all] = [await buffersWithin(1), await buffersWithin(10_000_000)]
  t.ok(one < 3 * pages, `${one} buffers`)
  t.ok(all > 10 * pages, `${all} buffers`)
})
