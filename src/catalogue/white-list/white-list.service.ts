import { and, eq, inArray } from 'drizzle-orm'
import { administeredPartyIds } from '../../agreement/visibility.js'
import { unitOfWork } from '../../db/unit-of-work.js'
import type { Call } from '../../platform/auth/call.js'
import { FieldErrors } from '../../platform/errors/field-errors.js'
import { problem } from '../../platform/errors/problem.js'
import type { CreateEntry } from '../../platform/rest/bulk-route.js'
import { assertRevision, revisionOf } from '../../platform/rest/revision.js'
import type { Ports } from '../../ports.js'
import { checkUnique } from '../check-duplicates.js'
import { resolveBuyers, resolveItems } from '../lookup.js'
import { whiteListResource } from '../resources.js'
import { whiteListEntries } from '../tables.js'
import type { WhiteListInput } from './white-list.schemas.js'
import { deleteWhiteListEntries, saveWhiteListEntries } from './white-list.store.js'

/** The key by which an item is unique on the white list of a buyer. */
const uniqueEntries = {
  code: 'duplicate-entry',
  table: whiteListEntries,
  members: ['buyerId', 'itemId'],
  id: whiteListEntries.id,
  resource: whiteListResource
} as const

/**
 * Puts items on white lists of buyers that the caller's organization administers, all or none, and
 * returns the entries in the same order.
 * @throws Problem `dangling-reference`, `wrong-role`, `duplicate-entry`.
 */
export async function createWhiteListEntries(
  ports: Ports,
  call: Call,
  entries: readonly CreateEntry<WhiteListInput>[]
) {
  const errors = new FieldErrors()
  const buyers = await resolveBuyers(
    ports,
    call,
    errors,
    entries.map(({ input: { buyer }, pointer }) => ({ buyer, pointer }))
  )
  const items = await resolveItems(
    ports,
    errors,
    entries.map(({ input, pointer }) => ({ pointer: `${pointer}/item`, url: input.item }))
  )
  const resolved = entries.flatMap(({ pointer }, at) => {
    const [buyerId, itemId] = [buyers[at]?.id, items[at]?.id]
    return buyerId && itemId ? [{ values: { buyerId, itemId }, pointer }] : []
  })
  await checkUnique(ports, errors, uniqueEntries, resolved)
  errors.check()
  return unitOfWork(ports, call, (work) =>
    saveWhiteListEntries(
      work,
      resolved.map(({ values }) => values)
    )
  )
}

/**
 * Deletes a white list entry of a buyer that the caller's organization administers.
 * @throws Problem `not-found`, `precondition-failed`.
 */
export async function deleteWhiteListEntry(ports: Ports, call: Call, id: string): Promise<void> {
  await unitOfWork(ports, call, async (work) => {
    const own = inArray(whiteListEntries.buyerId, administeredPartyIds(work.tx, call))
    const [deleted] = await deleteWhiteListEntries(work, and(eq(whiteListEntries.id, id), own))
    if (!deleted) throw problem('not-found')
    assertRevision(call, () => revisionOf(deleted))
  })
}
