import type { AuditSubject } from '../platform/auth/audit-context.js'
import { families, familyOf } from './families.js'
import type { LedgerEvent } from './read-events.js'

/** The orders that events tell of, for the audit record. */
export function orderSubjectsOf(events: readonly LedgerEvent[]): AuditSubject[] {
  const ids = events
    .filter(({ type }) => families[familyOf(type)]?.access.patientData)
    .flatMap(({ ownerId, relatedTo }) => (relatedTo ? [ownerId, relatedTo.order] : [ownerId]))
  return [...new Set(ids)].map((order) => ({ patient: null, order }))
}
