import { readdirSync, readFileSync } from 'node:fs'
import { getTableColumns, getTableName, is } from 'drizzle-orm'
import { getTableConfig, PgTable } from 'drizzle-orm/pg-core'
import t from 'tap'
import { placements } from '../../src/commands/distribute.js'
import { distribute } from '../../src/db/distribution.js'
import { problemOfPgError } from '../../src/platform/errors/pg-errors.js'
import { problem } from '../../src/platform/errors/problem.js'
import { redactError } from '../../src/platform/errors/redact-error.js'
import { cloneDatabase } from '../fixtures/app.js'
import { exportedTables } from '../fixtures/tables.js'

/*
 * What a distributed database demands of tables, without one.
 */

const placementOf = new Map(placements.map(([table, placement]) => [getTableName(table), placement]))
const keyOf = (name: string): string | undefined => {
  const placement = placementOf.get(name)
  return typeof placement === 'object' ? placement.by : undefined
}

t.test('each table has its rules', async (t) => {
  const tables = Object.values(await exportedTables()).filter((each) => is(each, PgTable))
  t.same(placements.map(([table]) => getTableName(table)).sort(), tables.map(getTableName).sort())
})

/** Whether a table is on the coordinator only. */
const isLocal = (name: string) => placementOf.get(name) === 'local'

t.test('keys and foreign keys of distributed tables', async (t) => {
  for (const [table] of placements) {
    const name = getTableName(table)
    const by = keyOf(name)
    const { primaryKeys, uniqueConstraints, indexes, foreignKeys } = getTableConfig(table)
    const unique = [
      ...primaryKeys.map((key) => ({ name: key.getName(), columns: key.columns.map((each) => each.name) })),
      ...uniqueConstraints.map((key) => ({
        name: key.getName(),
        columns: key.columns.map((each) => each.name)
      })),
      ...indexes
        .filter(({ config }) => config.unique)
        .map(({ config }) => ({
          name: config.name,
          columns: config.columns.map((each) => ('name' in each ? each.name : ''))
        }))
    ]
    if (by !== undefined) {
      t.ok(
        Object.values(getTableColumns(table)).some((column) => column.name === by && column.notNull),
        `${name} has its column ${by}`
      )
      for (const key of unique) t.ok(key.columns.includes(by), `${key.name} has the column ${by}`)
    }
    for (const key of foreignKeys) {
      const { columns, foreignColumns, foreignTable } = key.reference()
      const target = getTableName(foreignTable)
      const targetKey = keyOf(target)
      const isCoLocated = columns.some(
        (column, at) =>
          column.name === by && foreignColumns[at]?.name === targetKey && targetKey !== undefined
      )
      t.ok(
        placementOf.get(target) === 'reference' ||
          isCoLocated ||
          (by === undefined && isLocal(name) && isLocal(target)),
        `${key.getName()} leads to a reference table or stays on its node`
      )
      t.ok(
        by !== undefined || placementOf.get(target) === placementOf.get(name),
        `${key.getName()} leads from a table that is not distributed to one of its kind`
      )
    }
  }
})

/** Databases are distributed with the migrations up to this one. */
const LAST_BEFORE_CITUS = '0020_import_history.sql'

/** What Citus lets ALTER TABLE do with a table that is not on the coordinator only. */
const SUPPORTED_ACTION =
  /^(ADD COLUMN|ALTER COLUMN "\w+" ((SET|DROP) (NOT NULL|DEFAULT)|SET DATA TYPE)|(ADD|VALIDATE) CONSTRAINT|DROP (COLUMN|CONSTRAINT)|RENAME COLUMN)\b/i

/** The statements of a migration that Citus refuses once the tables are distributed. */
const refusedIn = (text: string): string[] =>
  text
    .replaceAll(/--.*$/gm, '')
    .split(';')
    .flatMap((each) => {
      const statement = each.trim()
      const [, altered, action = '', triggered] =
        /^ALTER TABLE "?(\w+)"? ([\s\S]*)|^CREATE TRIGGER [\s\S]*? ON "?(\w+)/i.exec(statement) ?? []
      const placement = placementOf.get(altered ?? triggered ?? '')
      return placement === undefined || placement === 'local' || SUPPORTED_ACTION.test(action)
        ? []
        : [statement]
    })

t.test('a migration runs on a database that is distributed', async (t) => {
  for (const statement of [
    'ALTER TABLE "orders" ALTER COLUMN "name" SET STORAGE EXTERNAL',
    'ALTER TABLE "parties" ALTER COLUMN "words" DROP EXPRESSION',
    'CREATE TRIGGER newer BEFORE UPDATE ON "order_lines" FOR EACH ROW EXECUTE FUNCTION f()'
  ])
    t.same(refusedIn(`-- Additive: it.\n${statement};`), [statement])
  for (const name of readdirSync('drizzle/migrations').filter((each) => each.endsWith('.sql')))
    if (name > LAST_BEFORE_CITUS)
      t.same(refusedIn(readFileSync(`drizzle/migrations/${name}`, 'utf8')), [], name)
})

t.test('a database without Citus is refused', async (t) => {
  const withoutCitus = await cloneDatabase(t, 'template1')
  await t.rejects(distribute(withoutCitus, placements), { message: /has no extension citus/ })
})

t.test('a constraint violated on a node is the constraint of the table', async (t) => {
  const duplicate = problem('bad-request')
  const constraints = { entries_unique: () => duplicate }
  const violation = 'duplicate key value violates unique constraint "entries_unique_102016"'
  const error = (message: string, members: object) => Object.assign(new Error(message), members)
  for (const each of [
    error(violation, { code: 'XX000' }),
    error(violation, { code: '23505' }),
    error('', { code: '23505', constraint_name: 'entries_unique_102016' }),
    error('', { code: '23505', constraint_name: 'entries_unique' })
  ])
    t.equal(problemOfPgError(each, constraints), duplicate)
  t.equal(problemOfPgError(error('another', { code: 'XX000' }), constraints), undefined)
  t.equal(redactError(error(violation, { code: 'XX000' })).constraint, 'entries_unique_102016', 'in the log')
  const reference = 'insert or update on table "orders_102016" violates foreign key constraint "orders_fk"'
  t.equal(redactError(error(reference, { code: 'XX000' })).constraint, 'orders_fk')
  const quoted = 'invalid input: "it violates check constraint "zaphod""'
  t.equal(redactError(error(quoted, { code: 'XX000' })).constraint, undefined, 'only a name of the schema')
  t.equal(problemOfPgError(error(violation, { code: '54000' }), constraints), undefined)
})

t.test('a lost worker makes the database unavailable, and other internal errors do not', async (t) => {
  const codeOf = (message: string, code = 'XX000') =>
    problemOfPgError(Object.assign(new Error(message), { code, severity: 'ERROR' }), {})?.code
  for (const message of [
    'failure on connection marked as essential: 10.0.0.2:5432',
    'server closed the connection unexpectedly',
    'connection not open',
    'terminating connection due to administrator command'
  ])
    t.equal(codeOf(message), 'database-unavailable', message)
  t.equal(codeOf('failed to COPY to shard 0 on 10.0.0.2:5432', '58030'), 'database-unavailable')
  t.equal(codeOf('could not write to file', '58030'), undefined)
  t.equal(codeOf('could not find a tuple: connection not open'), undefined)
  t.equal(codeOf('server closed the connection unexpectedly', '22000'), undefined)
})
