import { and, eq } from 'drizzle-orm'
import { insertAuditRows } from '../../audit/tables.js'
import { currentPatient, findCurrentPatient } from '../../clinical/current-patient.js'
import { invalidClinicalReference } from '../../clinical/reference.js'
import { newId, type UnitOfWork, unitOfWork } from '../../db/unit-of-work.js'
import type { Call } from '../../platform/auth/call.js'
import { FieldErrors } from '../../platform/errors/field-errors.js'
import { problem } from '../../platform/errors/problem.js'
import { assertRevision, revisionOf } from '../../platform/rest/revision.js'
import type { Ports } from '../../ports.js'
import { checkDuplicates } from '../check-duplicates.js'
import { resolveItems } from '../lookup.js'
import { blackListResource } from '../resources.js'
import { blackListEntries } from '../tables.js'
import type { BlackListInput } from './black-list.schemas.js'

/**
 * Puts an item on the black list of a patient, for the caller's organization, and returns the
 * entry's id. A duplicate must not be disclosed to a caller who may not see the patient.
 * @throws Problem `dangling-reference`, `clinical-backend-unavailable`, `duplicate-entry`.
 */
export async function createBlackListEntry(ports: Ports, call: Call, input: BlackListInput): Promise<string> {
  const errors = new FieldErrors()
  const patient = await findCurrentPatient(ports.db, input.patient)
  if (!ports.clinical.isReference(patient, 'Patient'))
    errors.add(invalidClinicalReference('Patient', '/patient'))
  const [item] = await resolveItems(ports, errors, [{ pointer: '/item', url: input.item }])
  errors.check()
  await ports.clinical.assertExists(call, 'Patient', patient, '/patient')
  return auditedUnitOfWork(ports, call, async ({ tx, at }) => {
    const id = newId()
    const { organization = '' } = call.caller
    const entry = { id, patient, itemId: item?.id ?? '', organization, createdAt: at }
    // A violated constraint would make PostgreSQL log the duplicate, and with it the patient's URL.
    const inserted = await tx.insert(blackListEntries).values(entry).onConflictDoNothing().returning()
    if (inserted.length === 0) {
      const isSame = and(
        eq(blackListEntries.patient, currentPatient(patient)),
        eq(blackListEntries.itemId, entry.itemId),
        isOwnBlackListEntry(call)
      )
      const [stored] = await tx.select({ id: blackListEntries.id }).from(blackListEntries).where(isSame)
      const url = ports.resourceUrls.url(blackListResource, stored?.id ?? '')
      const key = entry.itemId
      checkDuplicates(errors, 'duplicate-entry', [{ key, pointer: '' }], new Map([[key, url]]))
      errors.check()
    }
    return id
  })
}

/**
 * Deletes a black list entry of the caller's organization.
 * @throws Problem `not-found`, `precondition-failed`.
 */
export async function deleteBlackListEntry(ports: Ports, call: Call, id: string): Promise<void> {
  await auditedUnitOfWork(ports, call, async ({ tx }) => {
    const [deleted] = await tx
      .delete(blackListEntries)
      .where(and(eq(blackListEntries.id, id), isOwnBlackListEntry(call)))
      .returning()
    if (!deleted) throw problem('not-found')
    call.auditContext.addSubject(deleted.patient)
    assertRevision(call, () => revisionOf(deleted))
  })
}

/**
 * Runs a unit of work on patients' data. The unit of work is committed together with its audit
 * record, or not at all.
 */
function auditedUnitOfWork<T>(ports: Ports, call: Call, run: (work: UnitOfWork) => Promise<T>): Promise<T> {
  const runAudited = async (work: UnitOfWork) => {
    const result = await run(work)
    await insertAuditRows(work.tx, [ports.audit.rowOf(call.auditContext, null)])
    return result
  }
  return call.auditContext.commitWith(unitOfWork(ports, call, runAudited), () => true)
}

export const isOwnBlackListEntry = ({ caller: { organization = '' } }: Call) =>
  eq(blackListEntries.organization, organization)
