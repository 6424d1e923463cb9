import type { Database } from '../db/driver/database.js'
import { type UnitOfWork, withConcurrentTransaction } from '../db/unit-of-work.js'
import type { Actor } from '../platform/auth/actor.js'
import type { Audit } from './audit.js'
import { insertAuditRows } from './insert.js'

/**
 * Runs a unit of work on patients' data. It is committed together with its audit record, or not at
 * all.
 */
export function withAuditedTransaction<T>(
  { db, audit }: { db: Database; audit: Audit },
  actor: Actor,
  run: (work: UnitOfWork) => Promise<T>
): Promise<T> {
  const runAudited = async (work: UnitOfWork) => {
    const result = await run(work)
    await insertAuditRows(work.tx, [audit.rowOf(actor.auditContext, null)])
    return result
  }
  return actor.auditContext.commitWith(withConcurrentTransaction({ db }, actor, runAudited), () => true)
}
