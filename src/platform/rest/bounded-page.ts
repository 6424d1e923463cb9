import type { FastifyReply } from 'fastify'
import { slotOwnerOf } from '../auth/caller.js'
import { NoSlot, type Slots } from '../concurrency/slots.js'
import type { Page, PageRequest } from './pagination.js'

/** Bytes from which reading a page slows down other requests. */
export const LARGE_PAGE_BYTES = 262_144

/**
 * Reads a page with a slot. A page that ends before its limit is then read with a slot for large
 * work. Without such a slot in time, the first page is the response; its `Link` names the rest.
 * @throws NoSlot without the first slot.
 */
export async function boundedPage<K, E>(
  { server, request: { state } }: FastifyReply,
  { limit, bytes, after }: PageRequest<K>,
  isWide: boolean,
  read: (page: PageRequest<K>) => Promise<Page<K, E>>
): Promise<Page<K, E>> {
  // The limit includes the brackets of the array.
  const readIn = (slots: Slots, maxBytes: number) =>
    slots.run(
      slotOwnerOf(state.call.caller),
      () => read({ limit, bytes: maxBytes - '[]'.length, after }),
      state.deadline
    )
  const { pages, widePages, largeWork } = server.slots
  const first = await readIn(isWide ? widePages : pages, Math.min(bytes, LARGE_PAGE_BYTES))
  if (bytes <= LARGE_PAGE_BYTES || first.next === undefined || first.entries.length === limit) return first
  try {
    return await readIn(largeWork, bytes)
  } catch (cause) {
    if (cause instanceof NoSlot) return first
    throw cause
  }
}
