import { setTimeout as pause } from 'node:timers/promises'
import { type SQL, sql } from 'drizzle-orm'
import type { Database, Transaction } from '../db/driver/database.js'
import { columnsOf, recordset, valuesOf } from '../db/sql/recordset.js'
import { statement } from '../db/sql/statement.js'
import { type UnitOfWork, withTransaction } from '../db/unit-of-work.js'
import type { Actor } from '../platform/auth/actor.js'
import { isConnectionLost } from '../platform/errors/pg-errors.js'
import type { Audit } from './audit.js'
import { type AuditRow, auditEvents } from './tables.js'

/** Writes rows of the audit record. */
export async function insertRows(tx: Transaction, rows: readonly AuditRow[]): Promise<void> {
  await tx.execute(insertionFrom(recordset(auditEvents, JSON.stringify(rows))))
}

/** A row to be written, and what it is when it refers to no other. */
export interface Entry {
  row: AuditRow
  whole: () => AuditRow
}

/**
 * Writes rows; whole where one that they refer to is not there. The same over another connection when the first one went, and over a
 * third one a moment later: where all of them go, it may be known of one only. What was written all the same is not written twice.
 * @returns for each whether it was written as it is, and not whole in the end.
 */
export async function insertWithRetry(db: Database, entries: readonly Entry[]): Promise<boolean[]> {
  const rows = entries.map(({ row }) => row)
  const insert = rows.some(({ sameAs }) => sameAs !== null) ? insertReferring : insertAll
  for (let attempt = 1; ; attempt++)
    try {
      if (attempt > 1) {
        await insertMissing(db, { rows: JSON.stringify(entries.map(({ whole }) => whole())) })
        return entries.map(() => false)
      }
      const written = await insert(db, { rows: JSON.stringify(rows) })
      if (written.length === rows.length) return entries.map(() => true)
    } catch (cause) {
      if (attempt === 3 || !isConnectionLost(cause)) throw cause
      if (attempt === 2) await pause(moment)
    }
}

/** Milliseconds until it is known of every connection that went. */
const moment = 200

/** A statement that writes rows, or a part of one; they are called `r` in what they come from. */
export const insertionFrom = (rows: SQL): SQL =>
  sql`insert into ${auditEvents} (${columnsOf(auditEvents)}) select ${valuesOf(auditEvents)} from ${rows}`

type Rows = { rows: string }
const inserting = <R>(also: SQL) =>
  statement<Rows, R>(sql`${insertionFrom(recordset(auditEvents, sql.placeholder('rows')))}${also}`)
const insertAll = inserting<{ id: string }>(sql` returning id`)
/**
 * The other row must name by itself: of two attempts the first may have been written, which refers. It is looked up by its id for each
 * row: of `exists` PostgreSQL may make one look through the whole table.
 */
const insertReferring = inserting<{ id: string }>(sql`
  where r."sameAs" is null
    or (select named.same_as is null from audit_events named where named.id = r."sameAs")
  returning id`)
const insertMissing = inserting<never>(sql` on conflict (id) do nothing`)

/** Runs a unit of work on patients' data: its audit record is committed with it, or neither is. */
export function inRecordedWork<T>(
  { db, audit }: { db: Database; audit: Audit },
  actor: Actor,
  run: (work: UnitOfWork) => Promise<T>
): Promise<T> {
  const write = withTransaction(db, actor, async (work) => {
    const result = await run(work)
    await insertRows(work.tx, [audit.rowOf(actor.auditContext, null)])
    return result
  })
  return actor.auditContext.commitWith(write, () => true)
}
