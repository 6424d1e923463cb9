import { type UnitOfWork, type UnitOfWorkPorts, withTransaction } from '../db/unit-of-work.js'
import type { Call } from '../platform/auth/call.js'
import type { Audit } from './audit.js'
import { insertAuditRows } from './insert.js'

/**
 * Runs a unit of work on patients' data. It is committed together with its audit record, or not at
 * all.
 */
export function withAuditedTransaction<T>(
  ports: UnitOfWorkPorts & { audit: Audit },
  call: Call,
  run: (work: UnitOfWork) => Promise<T>
): Promise<T> {
  const runAudited = async (work: UnitOfWork) => {
    const result = await run(work)
    await insertAuditRows(work.tx, [ports.audit.rowOf(call.auditContext, null)])
    return result
  }
  const committed = withTransaction(ports, call, runAudited, { isConcurrent: true })
  return call.auditContext.commitWith(committed, () => true)
}
