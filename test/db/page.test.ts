import { sql } from 'drizzle-orm'
import t from 'tap'
import { connect } from '../../src/db/driver/database.js'
import { type PageLimits, type PageQuery, pageStatement } from '../../src/db/sql/page.js'
import { statement } from '../../src/db/sql/statement.js'
import { cloneDatabase } from '../fixtures/app.js'

const { db, close } = connect({ url: await cloneDatabase(t), maxConnections: 2, statementTimeoutMs: 10_000 })
t.teardown(close)
await db.execute(sql`create table texts (id int primary key, text text not null)`)
await db.execute(sql`create sequence written`)

/** Every serialization of a row takes a number of the sequence. */
const query: PageQuery = {
  table: 'texts',
  columns: sql`texts.id`,
  json: sql`concat(texts.text, left(nextval('written')::text, 0))`,
  size: sql`octet_length(texts.text)`,
  from: sql`from texts`,
  where: sql`texts.id > 0`,
  orderBy: sql`texts.id desc`
}
const pageOf = statement<PageLimits, [id: Buffer, json: Buffer | null]>(pageStatement(query), {
  isRaw: true
})

/**
 * A page of texts of these lengths: per row its length, or null without JSON; and the number of
 * serialized rows.
 */
async function page(lengths: readonly number[], { rows, bytes }: PageLimits) {
  await db.execute(sql`truncate texts`)
  const values = lengths.map((length, at) => sql`(${lengths.length - at}, repeat('x', ${length}))`)
  await db.execute(sql`insert into texts values ${sql.join(values, sql`, `)}`)
  await db.execute(sql`alter sequence written restart`)
  const shown = (await pageOf(db, { rows, bytes })).map(([, json]) => json?.length ?? null)
  const [count] = await db.execute(sql`select nextval('written')::int - 1 as n`)
  t.equal(count?.n, shown.filter((length) => length !== null).length, 'no other row is serialized')
  return shown
}

t.test('a page ends before its byte limit and says that there is more', async (t) => {
  const cases: [lengths: number[], values: PageLimits, shown: (number | null)[]][] = [
    [[1, 2, 3], { rows: 3, bytes: 10 }, [1, 2, 3]],
    [[1, 2, 3, 4, 5], { rows: 3, bytes: 10 }, [1, 2, 3]],
    [[4, 6], { rows: 3, bytes: 10 }, [4, 6]],
    [[4, 6, 1], { rows: 3, bytes: 10 }, [4, 6, null]],
    [[4, 7, 1], { rows: 3, bytes: 10 }, [4, null]],
    [[4, 1_000_000, 1], { rows: 3, bytes: 10 }, [4, null]],
    [[11, 1, 1], { rows: 3, bytes: 10 }, [11, null]],
    [[1_000_000], { rows: 3, bytes: 10 }, [1_000_000]],
    [[1_000_000, 1_000_000, 1], { rows: 3, bytes: 10 }, [1_000_000, null]]
  ]
  for (const [lengths, values, shown] of cases)
    t.same(await page(lengths, values), shown, `${lengths} in ${values.bytes}`)
})
