import { getTableName, is } from 'drizzle-orm'
import { PgTable } from 'drizzle-orm/pg-core'
import t from 'tap'
import { tableRights } from '../../src/table-rights.js'
import { exportedTables } from '../fixtures/tables.js'

t.test('the serving role has rights on each table', async (t) => {
  const tables = Object.values(await exportedTables()).filter((each) => is(each, PgTable))
  t.same(tableRights.map(([table]) => getTableName(table)).sort(), tables.map(getTableName).sort())
})
