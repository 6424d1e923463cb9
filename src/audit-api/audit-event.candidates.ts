import { and, desc, eq, ne, type SQL, sql } from 'drizzle-orm'
import type { Audit } from '../audit/audit.js'
import { auditEvents } from '../audit/tables.js'
import { findPatientReferences } from '../clinical/current-patient.js'
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

/** Which audit events a page may list. */
export interface AuditSearch {
  /** URL of the patient that they name by this or another reference. */
  patient: string | undefined
  /** The order that they name. */
  order: string | undefined
  /** Whether the caller may read the order. */
  isReadable: boolean
  /** Whether the caller's organization buys the order: then events of everybody are listed. */
  isBought: boolean
  /** Condition of the other filters. */
  matches: SQL | undefined
}

/** An audit event that a page lists. */
export interface AuditCandidate {
  id: string
  recorded: Date
}

/**
 * Finds the audit events of a page, newest first: up to its limit, and not more than the subjects
 * of a page. Returns also whether more events follow.
 */
export async function findCandidates(
  { db, audit }: Ports,
  call: Call,
  { patient, order, isReadable, isBought, matches }: AuditSearch,
  { limit, after }: PageRequest<AuditKey>
): Promise<{ candidates: AuditCandidate[]; hasMore: boolean }> {
  const references = patient === undefined ? undefined : await findPatientReferences(db, patient)
  const subject = namesSubject(order, references?.flatMap(audit.patientFormats))
  const found = await db
    .select({ id: auditEvents.id, recorded: auditEvents.recorded, size: subjectCount })
    .from(auditEvents)
    .leftJoin(subjectSourceEvents, subjectSourceJoin)
    .where(
      and(
        isBought ? undefined : causedByOwnSide(call, subject !== undefined),
        order && !isReadable ? isNamed(audit, call) : undefined,
        subject,
        matches,
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
 * Maximum number of patients and orders on a page. One event can name as many as a page of orders.
 */
const MAX_SUBJECTS_PER_PAGE = 5000

/**
 * SQL condition: the event was caused by the caller's side of its organization. Sellers do not see
 * buyers' events, and vice versa.
 * @param isFound whether other conditions find the few events to look at. Then the index of the
 * organization is not used: PostgreSQL expects many events of a patient, and would read all those
 * of the organization as well.
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
 * SQL condition: the request named the order itself, not a line of it. Of several orders a seller
 * may know some only.
 */
const isNamed = ({ lookUpOperations }: Audit, { scope }: Call): SQL | undefined =>
  and(
    sql`${auditEvents.operation} <> all(${sql.param([...lookUpOperations])}::text[])`,
    scope === 'own-seller' ? sql`${orderCount} = 1` : undefined
  )
