import { setImmediate as immediate } from 'node:timers/promises'
import { parsePgArray } from 'drizzle-orm/pg-core'
import t from 'tap'
import { createAudit } from '../../src/audit/audit.js'
import { insertWithRetry } from '../../src/audit/insert-with-retry.js'
import { createPatientHasher } from '../../src/audit/stored-patient.js'
import type { AuditRow } from '../../src/audit/tables.js'
import type { Database } from '../../src/db/driver/database.js'
import { auditedCall as call, auditedCaller as caller, hashOf as hashWith } from '../fixtures/audit/rows.js'

const key = new Uint8Array(32)
const hashOf = (patient: string) => hashWith(key, patient)

/** A database controlled by the test: each statement returns its rows or an error. */
function database(response: (attempt: number) => Promise<void>) {
  const statements: { text: string; rows: AuditRow[] }[] = []
  const unsafe = async (text: string, arrays: readonly string[]) => {
    const rows = rowsFrom(text, arrays)
    statements.push({ text, rows })
    await response(statements.length)
    return rows
  }
  return { db: { $client: { unsafe } } as unknown as Database, statements }
}

/** The rows of a statement that takes an array for each member. */
function rowsFrom(text: string, arrays: readonly string[]): AuditRow[] {
  const members = [...(/ r\((.*?)\)/.exec(text)?.[1]?.matchAll(/"(\w+)"/g) ?? [])].map(
    ([, name = '']) => name
  )
  const columns = arrays.map((array) => parsePgArray(array) as string[])
  const value = (member: string, text = '') =>
    ['orders', 'patients'].includes(member) ? parsePgArray(text) : text === 'null' ? null : text
  return (columns[0] ?? []).map(
    (_, at) =>
      Object.fromEntries(
        members.map((member, column) => [member, value(member, columns[column]?.[at])])
      ) as unknown as AuditRow
  )
}
const fault = (code: string) => Promise.reject(Object.assign(new Error(code), { code }))
const lost = () => fault('CONNECTION_CLOSED')
const done = () => Promise.resolve()

const row = { id: '1', sameAs: null, orders: [], patients: [] } as unknown as AuditRow
const referring = { row: { ...row, sameAs: '0' }, inFull: () => ({ ...row, orders: ['o'] }) as AuditRow }
const entry = { row, inFull: () => row }
const ever = Number.POSITIVE_INFINITY

t.test('a record is retried after a lost connection, at most three times', async (t) => {
  const refused = () => fault('23514')
  const cases = [
    { responses: [done], outcome: [true] },
    { responses: [lost, done], outcome: [false] },
    { responses: [lost, lost, done], outcome: [false] },
    { responses: [lost, lost, lost], outcome: 'CONNECTION_CLOSED' },
    { responses: [refused], outcome: '23514' },
    { responses: [lost, refused], outcome: '23514' }
  ]
  for (const { responses, outcome } of cases) {
    const what = responses.map(({ name }) => name).join(', ')
    const { db, statements } = database((attempt) => (responses[attempt - 1] ?? done)())
    t.same(await insertWithRetry(db, [entry], ever).catch(({ code }) => code), outcome, what)
    t.equal(statements.length, responses.length, what)
    for (const [at, { text }] of statements.entries())
      t.equal(/on conflict \(id, recorded\) do nothing/.test(text), at > 0, 'a row that was written stays')
  }
})

t.test('a row with a reference is written in full on retry', async (t) => {
  const { db, statements } = database((attempt) => (attempt < 2 ? lost() : done()))
  t.same(await insertWithRetry(db, [referring, entry], ever), [false, false])
  t.match(statements, [
    { rows: [{ sameAs: '0', orders: [] }, {}] },
    { rows: [{ sameAs: null, orders: ['o'] }, {}] }
  ])
  t.match(statements[0]?.text, /target\.same_as is null/)
  const alone = database(done)
  await insertWithRetry(alone.db, [entry], ever)
  t.notMatch(alone.statements[0]?.text, /target/)
})

const subjects = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ patient: `p${at}`, order: `o${at}` }))
const auditOn = (db: Database, timeout = 60_000) => createAudit({ db, key, timeoutMs: timeout })

t.test('a row has at most 255 characters of the user', async (t) => {
  const audit = auditOn(database(done).db)
  const userOf = (userId: string) =>
    audit.rowOf({ call, caller: { ...caller, userId }, subjects: [] }, null).userId
  for (const length of [255, 256]) t.equal(userOf('x'.repeat(length)), 'x'.repeat(255))
})

t.test('a row refers to no row of another month', async (t) => {
  let now = ''
  t.intercept(globalThis, 'Date', {
    value: class extends Date {
      constructor(value: string | number = now) {
        super(value)
      }
    }
  })
  const { db, statements } = database(done)
  const audit = auditOn(db)
  for (now of ['2026-03-31T23:30:00.000Z', '2026-03-31T23:59:59.999Z', '2026-04-01T00:00:00.000Z'])
    await audit.record({ call, caller, subjects: subjects(10) }, null)
  const [first, ...others] = statements.flatMap(({ rows }) => rows)
  t.match([first, ...others], [{ sameAs: null }, { sameAs: first?.id }, { sameAs: null }])
})

t.test('batches concurrent records into one statement, up to a size', async (t) => {
  const cases = [
    { sizes: [1, 1, 1], batches: [3] },
    // The weight of a record is one plus its orders.
    { sizes: [998, 1000], batches: [2] },
    { sizes: [999, 1000], batches: [1, 1] },
    { sizes: [5000, 1], batches: [1, 1] }
  ]
  for (const { sizes, batches } of cases) {
    const { db, statements } = database(done)
    const audit = auditOn(db)
    await Promise.all(
      sizes.map((size, at) =>
        audit.record({ call: { ...call, requestId: `${at}` }, caller, subjects: subjects(size) }, null)
      )
    )
    t.same(
      statements.map(({ rows }) => rows.length),
      batches,
      String(sizes)
    )
  }
})

t.test('a record that waits too long for the database fails and is not retried', async (t) => {
  let lose: () => void = () => {}
  const { db, statements } = database(
    () =>
      new Promise((_, reject) => {
        lose = () => void lost().catch(reject)
      })
  )
  await t.rejects(auditOn(db, 20).record({ call, caller, subjects: [] }, null), {
    message: 'Writing the audit record timed out.'
  })
  lose()
  for (let turn = 0; turn < 50; turn++) await immediate()
  t.equal(statements.length, 1)
})

t.test('a patient is recorded as a keyed hash, whatever its text', (t) => {
  const { hashOf: stored } = createPatientHasher(key)
  for (const patient of ['https://fhir.example/Patient/1', 'Patient/1', 'hmac-sha256:x', 'p'.repeat(2049)])
    t.equal(stored(patient), hashOf(patient), patient.slice(0, 40))
  t.end()
})
