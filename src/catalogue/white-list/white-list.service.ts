import { and, eq, inArray } from 'drizzle-orm'
import { organizationPartyIds, resolveParties } from '../../agreement/lookup.js'
import { withReplicatedTransaction } from '../../db/replica/replicated-transaction.js'
import { newId } from '../../db/unit-of-work.js'
import type { Actor } from '../../platform/auth/actor.js'
import { FieldErrors, problem } from '../../platform/errors/problem.js'
import type { Ports } from '../../ports.js'
import { findItemsByUrl } from '../lookup.js'
import { whiteListEntries } from '../tables.js'
import type { WhiteListInput } from './white-list.schemas.js'

/**
 * Puts an item on the white list of a buyer of the caller's organization and returns the entry's
 * id.
 * @throws Problem `dangling-reference`, `wrong-role`, `duplicate-entry`.
 */
export async function createWhiteListEntry(
  ports: Ports,
  actor: Actor,
  input: WhiteListInput
): Promise<string> {
  const errors = new FieldErrors()
  const [buyer] = await resolveParties(ports, actor, errors, [
    { pointer: '/buyer', url: input.buyer, role: 'BUYER', scope: 'own' }
  ])
  const item = (await findItemsByUrl(ports, [input.item])).get(input.item)
  if (!item) errors.addUnresolvedReference('/item', 'It must be the URL of a catalogue item.')
  errors.check()
  return withReplicatedTransaction(ports, actor, async ({ tx, at }) => {
    const id = newId()
    await tx
      .insert(whiteListEntries)
      .values({ id, buyerId: buyer?.id ?? '', itemId: item?.id ?? '', createdAt: at })
    return id
  })
}

/**
 * Deletes a white list entry of a buyer of the caller's organization.
 * @throws Problem `not-found`.
 */
export async function deleteWhiteListEntry(ports: Ports, actor: Actor, id: string): Promise<void> {
  await withReplicatedTransaction(ports, actor, async ({ tx }) => {
    const own = inArray(whiteListEntries.buyerId, organizationPartyIds(tx, actor.organization ?? ''))
    const deleted = await tx
      .delete(whiteListEntries)
      .where(and(eq(whiteListEntries.id, id), own))
      .returning()
    if (deleted.length === 0) throw whiteListEntryNotFound()
  })
}

export const whiteListEntryNotFound = () => problem('not-found', 'There is no such white list entry.')
