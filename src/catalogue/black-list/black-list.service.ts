import { and, eq } from 'drizzle-orm'
import { withAuditedTransaction } from '../../audit/audited-transaction.js'
import { invalidReferenceDetail } from '../../clinical/clinical.js'
import { newId } from '../../db/unit-of-work.js'
import type { Actor } from '../../platform/auth/actor.js'
import { FieldErrors, problem } from '../../platform/errors/problem.js'
import { withoutTrailingSlash } from '../../platform/rest/resource-urls.js'
import type { Ports } from '../../ports.js'
import { findItems } from '../lookup.js'
import { catalogueProblem } from '../problems.js'
import { blackListEntries } from '../tables.js'
import type { BlackListInput } from './black-list.schemas.js'

/**
 * Puts an item on the caller's organization's black list of a patient and answers the entry's id. That the entry is there already is
 * told only to who may see the patient.
 * @throws Problem `dangling-reference`, `clinical-backend-unavailable`, `duplicate-entry`.
 */
export async function createBlackListEntry(
  ports: Ports,
  actor: Actor,
  input: BlackListInput
): Promise<string> {
  const faults = new FieldErrors()
  const patient = withoutTrailingSlash(input.patient)
  if (!ports.clinical.isReference(patient, 'Patient'))
    faults.dangling('/patient', invalidReferenceDetail('Patient'))
  const item = (await findItems(ports, [input.item])).get(input.item)
  if (!item) faults.dangling('/item', 'It must be the URL of a catalogue item.')
  faults.check()
  await ports.clinical.assertExists(actor, 'Patient', patient, '/patient')
  return withAuditedTransaction(ports, actor, async ({ tx, at }) => {
    const id = newId()
    const { organization } = actor
    const entry = { id, patient, itemId: item?.id ?? '', organization, createdAt: at }
    // Left to its constraint, PostgreSQL would write the twin, and with it the patient's address, to its log.
    const written = await tx.insert(blackListEntries).values(entry).onConflictDoNothing().returning()
    if (written.length === 0)
      throw catalogueProblem(
        'duplicate-entry',
        'The item is on your organization’s black list of this patient.'
      )
    return id
  })
}

/** @throws Problem `not-found`. */
export async function deleteBlackListEntry(ports: Ports, actor: Actor, id: string): Promise<void> {
  await withAuditedTransaction(ports, actor, async ({ tx }) => {
    const [gone] = await tx
      .delete(blackListEntries)
      .where(and(eq(blackListEntries.id, id), madeBy(actor)))
      .returning()
    if (!gone) throw blackListEntryNotFound()
    actor.trail.touch(gone.patient)
  })
}

/** The condition on a query over entries that the caller's organization made them. */
export const madeBy = ({ organization = '' }: Actor) => eq(blackListEntries.organization, organization)

export const blackListEntryNotFound = () => problem('not-found', 'There is no such black list entry.')
