import { and, sql } from 'drizzle-orm'
import t from 'tap'
import { connect } from '../../src/db/driver/database.js'
import { dynamicQuery } from '../../src/db/sql/dynamic-query.js'
import { cloneDatabase } from '../fixtures/app.js'

interface Sought {
  least?: number | undefined
  isEven?: boolean | undefined
}

const { db, close } = connect({ url: await cloneDatabase(t), maxConnections: 1, statementTimeoutMs: 10_000 })
t.teardown(close)

t.test('makes one text per set of filters, whose values may be false', async (t) => {
  let made = 0
  const numbers = dynamicQuery<Sought, object, { n: number }>(({ least, isEven }) => {
    made++
    const conditions = [least && sql`n >= ${least}::int`, isEven && sql`(n % 2 = 0) = ${isEven}::boolean`]
    return sql`select n from generate_series(0, 5) n where ${and(...conditions)} order by n`
  })
  const find = async (sought: Sought) => (await numbers(db, sought, {})).map(({ n }) => n)
  for (const least of [1, 2, 3]) await find({ least })
  t.equal(made, 1)
  t.same(await find({ least: 0, isEven: undefined }), [0, 1, 2, 3, 4, 5])
  t.equal(made, 1)
  t.same(await find({ isEven: true }), [0, 2, 4])
  await find({ isEven: true, least: 1 })
  t.same(await find({ isEven: false, least: 2 }), [3, 5])
  t.equal(made, 3)
})

t.test('bounds the cache of texts', async (t) => {
  let made = 0
  const any = dynamicQuery<Record<string, number>, object, object>((given) => {
    made++
    return sql`select ${sql.join(Object.values(given), sql`, `)}`
  })
  for (let at = 0; at < 300; at++) await any(db, { [`n${at}`]: at }, {})
  t.equal(made, 300)
  await any(db, { n299: 1 }, {})
  t.equal(made, 300)
  await any(db, { n0: 1 }, {})
  t.equal(made, 301)
})

t.test('throws for a filter without a condition', async (t) => {
  const forgetful = dynamicQuery<Sought, object, object>(
    ({ least }) => sql`select n from generate_series(0, 9) n ${least ? sql`where n >= ${least}` : sql``}`
  )
  t.equal((await forgetful(db, { least: 8 }, {})).length, 2)
  for (let attempt = 0; attempt < 2; attempt++)
    await t.rejects(forgetful(db, { least: 8, isEven: true }, {}), /no placeholder for isEven/)
})

t.test('throws for a missing required value', async (t) => {
  const bounded = dynamicQuery<Sought, { below?: number }, object>(
    () => sql`select n from generate_series(0, 9) n where n < ${sql.placeholder('below')}::int`
  )
  await t.rejects(bounded(db, {}, {}), /below/)
})
