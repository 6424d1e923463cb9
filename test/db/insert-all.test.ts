import { sql } from 'drizzle-orm'
import { integer, jsonb, pgTable, text, timestamp } from 'drizzle-orm/pg-core'
import t from 'tap'
import { connect } from '../../src/db/driver/database.js'
import { insertAll } from '../../src/db/sql/insert-all.js'
import { unitOfWork } from '../../src/db/unit-of-work.js'
import { cloneDatabase } from '../fixtures/app.js'

const notes = pgTable('notes', {
  id: integer('id').notNull(),
  text: text('text'),
  tags: jsonb('tags').$type<string[]>(),
  writtenAt: timestamp('written_at', { withTimezone: true, precision: 3 }),
  color: text('color').notNull().default('red')
})

t.test('rows as one parameter', async (t) => {
  const { db, close } = connect({
    url: await cloneDatabase(t),
    maxConnections: 1,
    statementTimeoutMs: 10_000
  })
  t.teardown(close)
  await db.execute(
    sql`create table notes (id int, text text, tags jsonb, written_at timestamptz(3), color text not null default 'red')`
  )
  const at = new Date('2026-01-31T23:59:59.987Z')
  const later = new Date('2026-02-01T00:00:00.001Z')
  const odd = `'"\\ {} $1 \n \u2028 🩺`
  const given = { id: 3, text: 'c', tags: ['x', odd], writtenAt: later }
  await unitOfWork({ db }, null, async ({ tx }) => {
    await insertAll(tx, notes, [])
    await insertAll(tx, notes, [], { writtenAt: at })
    await insertAll(tx, notes, [{ id: 1 }, { id: 2, text: odd, tags: [] }], { writtenAt: at })
    await insertAll(tx, notes, [given, Object.assign({ id: 4, more: 'is skipped' })])
    await insertAll(tx, notes, [{ id: 5 }], { text: null, tags: [odd], writtenAt: at })
    await insertAll(tx, notes, [{ id: 6, text: undefined, color: 'blue' }])
  })
  t.same(await db.select().from(notes).orderBy(notes.id), [
    { id: 1, text: null, tags: null, writtenAt: at, color: 'red' },
    { id: 2, text: odd, tags: [], writtenAt: at, color: 'red' },
    { ...given, color: 'red' },
    { id: 4, text: null, tags: null, writtenAt: null, color: 'red' },
    { id: 5, text: null, tags: [odd], writtenAt: at, color: 'red' },
    { id: 6, text: null, tags: null, writtenAt: null, color: 'blue' }
  ])
})
