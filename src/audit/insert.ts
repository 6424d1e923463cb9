import { setTimeout as pause } from 'node:timers/promises'
import { type Placeholder, type SQL, sql } from 'drizzle-orm'
import type { Database, Transaction } from '../db/connection.js'
import { columnsOf, recordset, valuesOf } from '../db/recordset.js'
import { statement } from '../db/statement.js'
import { inWork, type Work } from '../db/work.js'
import type { Actor } from '../platform/actor.js'
import { isConnectionLost } from '../platform/database-fault.js'
import type { Audit } from './audit.js'
import { type AuditRow, auditEvents } from './tables.js'

/** Writes rows of the audit record. */
export async function insertRows(tx: Transaction, rows: readonly AuditRow[]): Promise<void> {
  await tx.execute(insertionOf(JSON.stringify(rows)))
}

/**
 * The same over another connection when the first one went, and over a third one a moment later: where all of them go, it may be
 * known of one only. What was written all the same is not written twice.
 */
export async function insertSurely(db: Database, rows: readonly AuditRow[]): Promise<void> {
  const values = { rows: JSON.stringify(rows) }
  for (let attempt = 1; ; attempt++)
    try {
      await (attempt === 1 ? insert : insertMissing)(db, values)
      return
    } catch (cause) {
      if (attempt === 3 || !isConnectionLost(cause)) throw cause
      if (attempt === 2) await pause(moment)
    }
}

/** Milliseconds until it is known of every connection that went. */
const moment = 200

/** The statement that writes rows, or a part of one: from `also` on, it writes them only if that has rows. */
export const insertionOf = (rows: string | Placeholder, also: SQL = sql``): SQL =>
  sql`insert into ${auditEvents} (${columnsOf(auditEvents)})
      select ${valuesOf(auditEvents)} from ${recordset(auditEvents, rows)}${also}`

type Rows = { rows: string }
const insert = statement<Rows, never>(insertionOf(sql.placeholder('rows')))
const insertMissing = statement<Rows, never>(
  insertionOf(sql.placeholder('rows'), sql` on conflict (id) do nothing`)
)

/** Runs a unit of work on patients' data: its audit record is committed with it, or neither is. */
export function inRecordedWork<T>(
  { db, audit }: { db: Database; audit: Audit },
  actor: Actor,
  run: (work: Work) => Promise<T>
): Promise<T> {
  const write = inWork(db, actor, async (work) => {
    const result = await run(work)
    await insertRows(work.tx, [audit.rowOf(actor.trail, null)])
    return result
  })
  return actor.trail.recordWith(write, () => true)
}
