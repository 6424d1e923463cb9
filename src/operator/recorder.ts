import { createAudit } from '../audit/audit.js'
import { type AuditRow, insertAuditRows } from '../audit/tables.js'
import { sharedSecret } from '../db/shared-values.js'
import { newId, unitOfWork } from '../db/unit-of-work.js'
import type { AuditSubject, Interaction } from '../platform/auth/audit-context.js'
import type { CommandContext } from './command.js'

/**
 * Maximum milliseconds of a statement. Counting and VACUUM read whole tables, but block no request.
 */
export const STATEMENT_TIMEOUT_MS = 600_000

export interface OperatorAction {
  operation: string
  interaction: Interaction
  /** Default: a new id. */
  requestId?: string
}

export async function createRecorder({ db, account }: Pick<CommandContext, 'db' | 'account'>) {
  const key = await sharedSecret(db, 'audit')
  const audit = createAudit({ db, key, timeoutMs: STATEMENT_TIMEOUT_MS })
  const caller = { userType: 'Operator', userId: account, organization: undefined }
  const rowOf = (
    { requestId = newId(), ...act }: OperatorAction,
    subjects: readonly AuditSubject[] = []
  ): AuditRow => audit.rowOf({ call: { requestId, ...act }, caller, subjects }, null)
  return {
    rowOf,
    /** Commits a row. */
    record: (act: OperatorAction, subjects?: readonly AuditSubject[]): Promise<void> =>
      unitOfWork({ db }, null, ({ tx }) => insertAuditRows(tx, [rowOf(act, subjects)])),
    patientHash: audit.patientHash
  }
}

export type Recorder = Awaited<ReturnType<typeof createRecorder>>
