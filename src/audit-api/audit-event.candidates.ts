import { and, desc, eq, ne, type SQL, sql } from 'drizzle-orm'
import type { Audit } from '../audit/audit.js'
import { auditEvents } from '../audit/tables.js'
import { findPatientReferences } from '../clinical/current-patient.js'
import { listFilters, type Params } from '../filters/filter.js'
import { byPatient, byRangeEnd, byRangeStart, byReference } from '../filters/kinds.js'
import { orderResource } from '../order/model/resources.js'
import type { Call } from '../platform/auth/call.js'
import { countFitting, type PageRequest } from '../platform/rest/pagination.js'
import type { Ports } from '../ports.js'
import {
  namesSubject,
  orderCount,
  subjectCount,
  subjectSourceEvents,
  subjectSourceJoin
} from './audit-event.subjects.js'

/** Sort key of audit events, newest first. */
export type AuditKey = [recorded: string, id: string]

export const auditFilters = listFilters(
  byPatient('URL of a clinical Patient.'),
  byReference('order', orderResource, 'URL of an order.'),
  byRangeStart('from', 'First day, yyyy-mm-dd, or a first instant.', auditEvents.recorded),
  byRangeEnd('to', 'Last day, yyyy-mm-dd, or an exclusive end instant.', auditEvents.recorded)
)

/**
 * The rights of the caller on the order of the filters: to read it, and to see all events on it.
 */
interface OrderAccess {
  isReadable: boolean
  isBought: boolean
}

export interface AuditCandidate {
  id: string
  recorded: Date
}

/**
 * Finds the audit events of a page, newest first: at most `limit` events with at most
 * {@link MAX_SUBJECTS_PER_PAGE} subjects. The result states whether more events follow.
 */
export async function findCandidates(
  { db, audit }: Ports,
  call: Call,
  filters: Params<typeof auditFilters>,
  { isReadable, isBought }: OrderAccess,
  { limit, after }: PageRequest<AuditKey>
): Promise<{ candidates: AuditCandidate[]; hasMore: boolean }> {
  const { patient, order } = filters
  const references = patient === undefined ? undefined : await findPatientReferences(db, patient)
  const subject = namesSubject(order, references?.map(audit.patientHash))
  const found = await db
    .select({ id: auditEvents.id, recorded: auditEvents.recorded, size: subjectCount })
    .from(auditEvents)
    .leftJoin(subjectSourceEvents, subjectSourceJoin)
    .where(
      and(
        isBought ? undefined : causedByOwnSide(call, subject !== undefined),
        order && !isReadable ? isNamed(audit, call) : undefined,
        subject,
        auditFilters.where(filters),
        after &&
          sql`(${auditEvents.recorded}, ${auditEvents.id}) < (${after[0]}::timestamptz, ${after[1]}::uuid)`
      )
    )
    .orderBy(desc(auditEvents.recorded), desc(auditEvents.id))
    .limit(limit + 1)
  const candidates = found.slice(
    0,
    Math.min(
      limit,
      countFitting(found, MAX_SUBJECTS_PER_PAGE, ({ size }) => size)
    )
  )
  return { candidates, hasMore: found.length > candidates.length }
}

/**
 * Maximum number of patients and orders on a page. One event can name all patients and orders of a
 * page of orders.
 */
const MAX_SUBJECTS_PER_PAGE = 5000

/**
 * SQL condition: the event was caused by the caller's side of its organization. Sellers do not see
 * buyers' events, and vice versa.
 * @param isFound whether other conditions already find few events. If so, the index of the
 * organization is not used: PostgreSQL expects many events of a patient, and would also read all
 * events of the organization.
 */
export const causedByOwnSide = (
  { caller: { organization = '' }, scope }: Call,
  isFound = false
): SQL | undefined =>
  and(
    isFound
      ? sql`${auditEvents.organization} || '' = ${organization}`
      : eq(auditEvents.organization, organization),
    (scope === 'own-seller' ? eq : ne)(auditEvents.userType, 'Provider')
  )

/**
 * SQL condition: the request named the order itself, not one of its lines. For a seller, the
 * request must also have named only one order, because a seller may see only some of several
 * named orders.
 */
const isNamed = ({ lookUpOperations }: Audit, { scope }: Call): SQL | undefined =>
  and(
    sql`${auditEvents.operation} <> all(${sql.param([...lookUpOperations])}::text[])`,
    scope === 'own-seller' ? sql`${orderCount} = 1` : undefined
  )
