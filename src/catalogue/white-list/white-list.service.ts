import { and, eq, inArray } from 'drizzle-orm'
import { resolveParties } from '../../agreement/lookup.js'
import { administeredPartyIds } from '../../agreement/visibility.js'
import { unitOfWork } from '../../db/unit-of-work.js'
import type { Call } from '../../platform/auth/call.js'
import { FieldErrors } from '../../platform/errors/field-errors.js'
import { assertRevision, revisionOf } from '../../platform/rest/revision.js'
import type { Ports } from '../../ports.js'
import { checkDuplicates } from '../check-duplicates.js'
import { resolveItems } from '../lookup.js'
import { whiteListResource } from '../resources.js'
import { toWhiteListEntry } from '../serializers.js'
import { whiteListEntries } from '../tables.js'
import type { WhiteListEntry, WhiteListInput } from './white-list.schemas.js'
import {
  listedEntries,
  recordEntryEvents,
  saveWhiteListEntries,
  type WhiteListPair,
  whiteListEntryNotFound
} from './white-list.store.js'

/**
 * Puts an item on the white list of a buyer that the caller's organization administers, and returns
 * the entry's id.
 * @throws Problem `dangling-reference`, `wrong-role`, `duplicate-entry`.
 */
export async function createWhiteListEntry(ports: Ports, call: Call, input: WhiteListInput): Promise<string> {
  const pairs = await resolveEntries(ports, call, [{ input, pointer: '' }])
  const [id = ''] = await unitOfWork(ports, call, async (work) =>
    (await saveWhiteListEntries(work, pairs)).map(({ id }) => id)
  )
  return id
}

/**
 * Puts items on white lists of buyers that the caller's organization administers, all or none, and
 * returns the entries in the same order.
 * @throws Problem `dangling-reference`, `wrong-role`, `duplicate-entry`.
 */
export async function createWhiteListEntries(
  ports: Ports,
  call: Call,
  inputs: readonly WhiteListInput[]
): Promise<WhiteListEntry[]> {
  const located = inputs.map((input, at) => ({ input, pointer: `/${at}` }))
  const pairs = await resolveEntries(ports, call, located)
  let entries: WhiteListEntry[] = []
  await unitOfWork(ports, call, async (work) => {
    const rows = await saveWhiteListEntries(work, pairs)
    entries = rows.map((row) => toWhiteListEntry(ports, row))
    return rows.map(({ id }) => id)
  })
  return entries
}

const keyOf = ({ buyerId, itemId }: WhiteListPair) => `${buyerId} ${itemId}`

/** Resolves buyers, which the caller's organization administers, and items that are not listed. */
async function resolveEntries(
  ports: Ports,
  call: Call,
  entries: readonly { input: WhiteListInput; pointer: string }[]
): Promise<WhiteListPair[]> {
  const errors = new FieldErrors()
  const buyers = await resolveParties(
    ports,
    call,
    errors,
    entries.map(({ input, pointer }) => ({
      pointer: `${pointer}/buyer`,
      url: input.buyer,
      role: 'BUYER',
      scope: 'administered'
    }))
  )
  const items = await resolveItems(
    ports,
    errors,
    entries.map(({ input, pointer }) => ({ pointer: `${pointer}/item`, url: input.item }))
  )
  const pairs = entries.map(({ pointer }, at) => ({
    buyerId: buyers[at]?.id ?? '',
    itemId: items[at]?.id ?? '',
    pointer
  }))
  const resolved = pairs.filter(({ buyerId, itemId }) => buyerId !== '' && itemId !== '')
  const listed = await listedEntries(ports.db, resolved)
  const urlOf = (id: string) => ports.resourceUrls.url(whiteListResource, id)
  checkDuplicates(
    errors,
    'duplicate-entry',
    resolved.map((pair) => ({ key: keyOf(pair), pointer: pair.pointer })),
    new Map(listed.map((entry) => [keyOf(entry), urlOf(entry.id)]))
  )
  errors.check()
  return pairs
}

/**
 * Deletes a white list entry of a buyer that the caller's organization administers.
 * @throws Problem `not-found`, `precondition-failed`.
 */
export async function deleteWhiteListEntry(ports: Ports, call: Call, id: string): Promise<void> {
  await unitOfWork(ports, call, async (work) => {
    const { tx } = work
    const own = inArray(whiteListEntries.buyerId, administeredPartyIds(tx, call))
    const [deleted] = await tx
      .delete(whiteListEntries)
      .where(and(eq(whiteListEntries.id, id), own))
      .returning()
    if (!deleted) throw whiteListEntryNotFound()
    assertRevision(call, () => revisionOf(deleted))
    await recordEntryEvents(work, 'deleted', [deleted])
  })
}
