import { and, eq, inArray } from 'drizzle-orm'
import { partiesOf, resolveParties } from '../../agreement/lookup.js'
import { newId, withTransaction } from '../../db/unit-of-work.js'
import type { Actor } from '../../platform/auth/actor.js'
import { FieldErrors, problem } from '../../platform/errors/problem.js'
import type { Ports } from '../../ports.js'
import { findItems } from '../lookup.js'
import { whiteListEntries } from '../tables.js'
import type { WhiteListInput } from './white-list.schemas.js'

/** Puts an item on the white list of a buyer of the caller's organization and answers the entry's id. */
export async function createWhiteListEntry(
  ports: Ports,
  actor: Actor,
  input: WhiteListInput
): Promise<string> {
  const faults = new FieldErrors()
  const [buyer] = await resolveParties(ports, actor, faults, [
    { pointer: '/buyer', url: input.buyer, role: 'BUYER', within: 'own' }
  ])
  const item = (await findItems(ports, [input.item])).get(input.item)
  if (!item) faults.addUnresolvedReference('/item', 'It must be the URL of a catalogue item.')
  faults.check()
  return withTransaction(ports.db, actor, async ({ tx, at }) => {
    const id = newId()
    await tx
      .insert(whiteListEntries)
      .values({ id, buyerId: buyer?.id ?? '', itemId: item?.id ?? '', createdAt: at })
    return id
  })
}

/** @throws Problem `not-found` where the caller's organization has no such entry. */
export async function deleteWhiteListEntry({ db }: Ports, actor: Actor, id: string): Promise<void> {
  await withTransaction(db, actor, async ({ tx }) => {
    const own = inArray(whiteListEntries.buyerId, partiesOf(tx, actor.organization ?? ''))
    const gone = await tx
      .delete(whiteListEntries)
      .where(and(eq(whiteListEntries.id, id), own))
      .returning()
    if (gone.length === 0) throw whiteListEntryNotFound()
  })
}

export const whiteListEntryNotFound = () => problem('not-found', 'There is no such white list entry.')
