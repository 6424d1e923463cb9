import { AuditContext, type AuditSubject } from '../platform/auth/audit-context.js'
import type { Call } from '../platform/auth/call.js'
import type { Ports } from '../ports.js'
import { accessRuleOfType } from './families.js'
import type { LedgerEvent } from './read-events.js'

export function orderSubjectsOf(events: readonly LedgerEvent[]): AuditSubject[] {
  const ids = events
    .filter(({ type }) => accessRuleOfType(type)?.patientData)
    .flatMap(({ ownerId, relatedTo }) => (relatedTo ? [ownerId, relatedTo.order] : [ownerId]))
  return [...new Set(ids)].map((order) => ({ patient: null, order }))
}

/** Records the orders of events before a stream or a webhook sends them. */
export async function recordOrders(
  { audit }: Ports,
  { auditContext, caller }: Call,
  events: readonly LedgerEvent[]
): Promise<void> {
  const context = new AuditContext(auditContext.call, caller)
  context.addSubjects(orderSubjectsOf(events))
  if (context.subjects.length > 0) await audit.record(context, null)
}
