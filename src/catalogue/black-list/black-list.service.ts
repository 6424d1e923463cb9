import { and, eq } from 'drizzle-orm'
import { withAuditedTransaction } from '../../audit/audited-transaction.js'
import { invalidReferenceDetail } from '../../clinical/clinical.js'
import { newId } from '../../db/unit-of-work.js'
import type { Actor } from '../../platform/auth/actor.js'
import { FieldErrors, problem } from '../../platform/errors/problem.js'
import { withoutTrailingSlash } from '../../platform/rest/resource-urls.js'
import { assertRevision, revisionOf } from '../../platform/rest/revision.js'
import type { Ports } from '../../ports.js'
import { findItemsByUrl } from '../lookup.js'
import { catalogueProblem } from '../problems.js'
import { blackListEntries } from '../tables.js'
import type { BlackListInput } from './black-list.schemas.js'

/**
 * Puts an item on the black list of a patient, for the caller's organization, and returns the
 * entry's id. Only callers who may see the patient learn of a duplicate.
 * @throws Problem `dangling-reference`, `clinical-backend-unavailable`, `duplicate-entry`.
 */
export async function createBlackListEntry(
  ports: Ports,
  actor: Actor,
  input: BlackListInput
): Promise<string> {
  const errors = new FieldErrors()
  const patient = withoutTrailingSlash(input.patient)
  if (!ports.clinical.isReference(patient, 'Patient'))
    errors.addUnresolvedReference('/patient', invalidReferenceDetail('Patient'))
  const item = (await findItemsByUrl(ports, [input.item])).get(input.item)
  if (!item) errors.addUnresolvedReference('/item', 'It must be the URL of a catalogue item.')
  errors.check()
  await ports.clinical.assertExists(actor, 'Patient', patient, '/patient')
  return withAuditedTransaction(ports, actor, async ({ tx, at }) => {
    const id = newId()
    const { organization } = actor
    const entry = { id, patient, itemId: item?.id ?? '', organization, createdAt: at }
    // A violated constraint would make PostgreSQL log the duplicate, and with it the patient's URL.
    const inserted = await tx.insert(blackListEntries).values(entry).onConflictDoNothing().returning()
    if (inserted.length === 0)
      throw catalogueProblem(
        'duplicate-entry',
        'Your organization has already put this item on the black list of this patient.'
      )
    return id
  })
}

/**
 * Deletes a black list entry of the caller's organization.
 * @throws Problem `not-found`, `precondition-failed`.
 */
export async function deleteBlackListEntry(ports: Ports, actor: Actor, id: string): Promise<void> {
  await withAuditedTransaction(ports, actor, async ({ tx }) => {
    const [deleted] = await tx
      .delete(blackListEntries)
      .where(and(eq(blackListEntries.id, id), madeBy(actor)))
      .returning()
    if (!deleted) throw blackListEntryNotFound()
    actor.auditContext.addSubject(deleted.patient)
    assertRevision(actor, () => revisionOf(deleted))
  })
}

/** SQL condition: the caller's organization made the entry. */
export const madeBy = ({ organization = '' }: Actor) => eq(blackListEntries.organization, organization)

export const blackListEntryNotFound = () => problem('not-found', 'There is no such black list entry.')
