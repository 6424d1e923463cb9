import type { Database } from '../db/driver/database.js'
import { type UnitOfWork, unitOfWork } from '../db/unit-of-work.js'
import type { Call } from '../platform/auth/call.js'
import type { Audit } from './audit.js'
import { insertAuditRows } from './tables.js'

/**
 * Runs a unit of work on patients' data. The unit of work is committed together with its audit
 * record, or not at all.
 */
export function auditedUnitOfWork<T>(
  ports: { db: Database; audit: Audit },
  call: Call,
  run: (work: UnitOfWork) => Promise<T>
): Promise<T> {
  const runAudited = async (work: UnitOfWork) => {
    const result = await run(work)
    await insertAuditRows(work.tx, [ports.audit.rowOf(call.auditContext, null)])
    return result
  }
  return call.auditContext.commitWith(unitOfWork(ports, call, runAudited), () => true)
}
