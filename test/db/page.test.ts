import { sql } from 'drizzle-orm'
import t from 'tap'
import { connect } from '../../src/db/driver/database.js'
import { type PageLimits, pageRows, type RowsQuery } from '../../src/db/sql/page.js'
import { statement } from '../../src/db/sql/statement.js'
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

/** Writes texts of these lengths, in page order. */
async function write(lengths: readonly number[]) {
  await db.execute(sql`truncate texts`)
  const values = lengths.map((length, at) => sql`(${lengths.length - at}, repeat('x', ${length}))`)
  if (values.length > 0)
    await db.execute(sql`insert into texts (id, text) values ${sql.join(values, sql`, `)}`)
}

t.test('rows of a page are those that begin within its byte limit', async (t) => {
  const placed = statement<PageLimits, { length: number; found: number }>(
    sql`select length(text), found from ${pageRows(rowsQuery)} order by id desc`
  )
  const cases: [lengths: number[], limits: PageLimits, shown: number[], found: number][] = [
    [[], { rows: 3, bytes: 10 }, [], 0],
    [[1, 2, 3], { rows: 3, bytes: 10 }, [1, 2, 3], 3],
    [[1, 2, 3, 4, 5], { rows: 4, bytes: 10 }, [1, 2, 3, 4], 4],
    [[4, 6], { rows: 3, bytes: 10 }, [4, 6], 2],
    [[4, 6, 1], { rows: 3, bytes: 10 }, [4, 6], 3],
    [[4, 7, 1], { rows: 3, bytes: 10 }, [4, 7], 3],
    [[1_000_000, 1], { rows: 3, bytes: 10 }, [1_000_000], 2]
  ]
  for (const [lengths, limits, shown, found] of cases) {
    const title = `${lengths} in ${limits.bytes}`
    await write(lengths)
    const rows = await placed(db, limits)
    t.same(
      rows.map(({ length }) => length),
      shown,
      title
    )
    t.same(new Set(rows.map((row) => row.found)), new Set(shown.length > 0 ? [found] : []), title)
    const columns = { length: sql<number>`length(text)`, found: sql<number>`found` }
    const built = db.select(columns).from(pageRows(rowsQuery, limits)).orderBy(sql`id desc`)
    t.same(await built, rows, 'the query builder selects the same rows')
  }
})

t.test('the long values of rows beyond the byte limit are not read', async (t) => {
  await write(Array.from({ length: 10 }, () => 1_000_000))
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
