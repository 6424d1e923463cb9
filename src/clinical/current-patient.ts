import { type Placeholder, type SQL, sql } from 'drizzle-orm'
import type { Queryable } from '../db/driver/database.js'
import { statement } from '../db/sql/statement.js'
import { withoutTrailingSlash } from '../platform/urls/resource-urls.js'
import { isClinicalReference } from './reference.js'

/*
 * An operator can replace the reference to a patient. The former reference then counts as the new
 * reference. This module reads each reference to a patient in a request.
 */

/**
 * SQL expression: the stored reference of a patient. PostgreSQL evaluates a subquery once, and a
 * function for each row.
 */
export const currentPatient = (reference: Placeholder | string): SQL =>
  sql`(select current_patient(${reference}))`

const selectCurrent = statement<{ reference: string }, { patient: string }>(
  sql`select ${currentPatient(sql.placeholder('reference'))} as patient`
)

/** Reads the stored reference of a patient. */
export async function findCurrentPatient(db: Queryable, sent: string): Promise<string> {
  const reference = withoutTrailingSlash(sent)
  if (!isClinicalReference(reference, 'Patient')) return reference
  const [row] = await selectCurrent(db, { reference })
  return row?.patient ?? reference
}

/**
 * Replaces the patient of a search by the stored reference. PostgreSQL plans a list by a constant
 * patient, and reads twice as much data with {@link currentPatient}.
 */
export async function withCurrentPatient<S extends { patient?: string | undefined }>(
  db: Queryable,
  search: S
): Promise<S> {
  const { patient } = search
  return patient === undefined ? search : { ...search, patient: await findCurrentPatient(db, patient) }
}

/** All references to a patient: the stored reference, followed by the former references. */
export type PatientReferences = readonly [current: string, ...former: string[]]

export async function findPatientReferences(db: Queryable, reference: string): Promise<PatientReferences> {
  const rows = await db.execute<{ reference: string }>(sql`
    with recursive known (reference, step) as (
      select ${currentPatient(reference)}, 0
      union all
      select a.reference, known.step + 1 from known join patient_aliases a on a.replaced_by = known.reference)
    select reference from known order by step`)
  const [current = reference, ...former] = rows.map((row) => row.reference)
  return [current, ...former]
}
