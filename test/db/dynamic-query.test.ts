import { and, sql } from 'drizzle-orm'
import t from 'tap'
import { connect } from '../../src/db/driver/database.js'
import { dynamicQuery } from '../../src/db/sql/statement.js'
import { cloneDatabase } from '../fixtures/app.js'

interface Sought {
  least?: number | undefined
  isEven?: boolean | undefined
  text?: string | undefined
}

const { db, close } = connect({ url: await cloneDatabase(t), maxConnections: 1, statementTimeoutMs: 10_000 })
t.teardown(close)

/** Filters numbers below a bound and counts the texts made. */
function numbers() {
  let made = 0
  const statement = dynamicQuery<Sought, { below: number }, { n: number }>((given) => {
    made++
    const conditions = [
      sql`n < ${sql.placeholder('below')}::int`,
      given.least && sql`n >= ${given.least}::int`,
      given.isEven && sql`(n % 2 = 0) = ${given.isEven}::boolean`,
      given.text && sql`n::text = ${given.text}`
    ]
    return sql`select n from generate_series(0, 9) n where ${and(...conditions)} order by n`
  })
  return {
    made: () => made,
    find: async (sought: Sought, below = 6) => (await statement(db, sought, { below })).map(({ n }) => n)
  }
}

t.test('applies filters with false, null and empty values', async (t) => {
  const { find } = numbers()
  const cases: [Sought, number[]][] = [
    [{}, [0, 1, 2, 3, 4, 5]],
    [{ least: undefined, isEven: undefined }, [0, 1, 2, 3, 4, 5]],
    [{ least: 4 }, [4, 5]],
    [{ least: 0 }, [0, 1, 2, 3, 4, 5]],
    [{ isEven: false }, [1, 3, 5]],
    [{ isEven: true, least: 1 }, [2, 4]],
    [{ text: '' }, []],
    [{ text: '3', isEven: undefined }, [3]]
  ]
  for (const [sought, found] of cases) t.same(await find(sought), found, JSON.stringify(sought))
  t.same(await find({ least: 4 }, 9), [4, 5, 6, 7, 8])
})

t.test('makes one text per set of filters', async (t) => {
  const { find, made } = numbers()
  for (const least of [1, 2, 3]) await find({ least })
  t.equal(made(), 1)
  await find({ least: 1, isEven: undefined })
  t.equal(made(), 1)
  await find({ isEven: true })
  await find({ isEven: true, least: 1 })
  await find({ isEven: false, least: 2 })
  t.equal(made(), 3)
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
