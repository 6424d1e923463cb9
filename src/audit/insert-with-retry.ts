import { setTimeout as pause } from 'node:timers/promises'
import { type SQL, sql } from 'drizzle-orm'
import type { Database } from '../db/driver/database.js'
import { memberSqlTypes, rowParameters } from '../db/sql/row-arrays.js'
import { statement } from '../db/sql/statement.js'
import { isConnectionLost } from '../platform/errors/pg-errors.js'
import { type AuditRow, auditEvents, insertAuditRowsFrom } from './tables.js'

/** A row to insert, and the same row with subjects instead of a reference. */
export interface AuditEntry {
  row: AuditRow
  inFull: () => AuditRow
}

const MAX_ATTEMPTS = 3

/** Time for the pool to notice every lost connection when the server closes all of them. */
const RETRY_DELAY_MS = 200

/**
 * Inserts audit rows. Until `retryUntil` it retries twice on a lost connection; `on conflict do
 * nothing` makes the retry idempotent. A row whose `same_as` target is missing is written in full,
 * and so is every retried row.
 * @param retryUntil by `performance.now()`: later no caller waits for the result.
 * @returns for each entry: whether its `row` was written, instead of the row in full.
 */
export async function insertWithRetry(
  db: Database,
  entries: readonly AuditEntry[],
  retryUntil: number
): Promise<boolean[]> {
  const rows = entries.map(({ row }) => row)
  const insert = rows.some(({ sameAs }) => sameAs !== null) ? insertReferring : insertPlain
  for (let attempt = 1; ; attempt++)
    try {
      if (attempt > 1) {
        await insertMissing(db, valuesOf(entries.map(({ inFull }) => inFull())))
        return entries.map(() => false)
      }
      const inserted = await insert(db, valuesOf(rows))
      if (inserted.length === rows.length) return entries.map(() => true)
    } catch (cause) {
      const isLast = attempt === MAX_ATTEMPTS || performance.now() >= retryUntil
      if (isLast || !isConnectionLost(cause)) throw cause
      if (attempt === MAX_ATTEMPTS - 1) await pause(RETRY_DELAY_MS)
    }
}

const { from, fill } = rowParameters('audit', memberSqlTypes(auditEvents))

function valuesOf(rows: readonly AuditRow[]): object {
  const values = {}
  fill(values, rows)
  return values
}

const insertStatement = <R>(suffix: SQL) => statement<object, R>(sql`${insertAuditRowsFrom(from)}${suffix}`)
const insertPlain = insertStatement<{ id: string }>(sql` returning id`)
/**
 * Only a row that lists its subjects may be a target. An attempt that was committed although its
 * connection was lost may have left a row with a reference. A sub-select by id, because PostgreSQL
 * may turn `exists` into a scan of the whole table.
 */
const insertReferring = insertStatement<{ id: string }>(sql`
  where r."sameAs" is null
    or (select target.same_as is null from audit_events target
      where target.id = r."sameAs" and target.recorded > r.recorded - interval '2 hours')
  returning id`)
const insertMissing = insertStatement<never>(sql` on conflict (id, recorded) do nothing`)
