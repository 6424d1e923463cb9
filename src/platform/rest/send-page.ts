import { Type } from '@sinclair/typebox'
import type { FastifyReply } from 'fastify'
import { slotOwnerOf } from '../auth/caller.js'
import { NoSlot, type Slots } from '../concurrency/slots.js'
import { problem } from '../errors/problem.js'
import type { Cursors } from './cursors.js'
import type { Page, PageRequest } from './pagination.js'

export const pageQuery = (maximum: number) => ({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum, description: 'Maximum number of entries.' })),
  after: Type.Optional(Type.String({ description: 'Cursor of the next page, from a Link header.' }))
})

interface Position<F, K> {
  url: string
  filters: F
  key: K
}

export interface ListAddress {
  cursors: Cursors
  /** Fully qualified URL of the list, without a query. */
  url: string
  /** Maximum and default entries of a page. */
  limit: number
  bytes: number
}

const COMMA = Buffer.from(',')

export function jsonBodyOf({ entries, expanded }: Page<unknown>): Buffer {
  const [start, end] = expanded === undefined ? ['[', ']'] : ['{"entries":[', `],"expanded":${expanded}}`]
  const list = entries.flatMap((entry, at) => (at === 0 ? entry : [COMMA, entry]))
  return Buffer.concat([Buffer.from(start), ...list, Buffer.from(end)])
}

/**
 * Runs a list query and names the next page in a `Link` header. A cursor contains its filters, so
 * only `limit` may accompany it.
 * @throws Problem `invalid-query`.
 */
export async function sendPage<F extends object, K>(
  reply: FastifyReply,
  { cursors, url, limit: maximum, bytes }: ListAddress,
  { limit = maximum, after, ...given }: F & { limit?: number; after?: string },
  list: (filters: F, page: PageRequest<K>) => Promise<Page<K>>,
  bodyOf: (page: Page<K>) => Buffer,
  isCsv = false
): Promise<Buffer> {
  const position = after === undefined ? undefined : (cursors.open(after) as Position<F, K>)
  if (position && (position.url !== url || Object.keys(given).length > 0))
    throw problem('invalid-query.cursorWithFilters')
  const filters = position?.filters ?? (given as unknown as F)
  // Expanded resources cost more than entries, so such a page is never large.
  const hasExpand = 'expand' in filters
  const maxBytes = hasExpand ? Math.min(bytes, LARGE_PAGE_BYTES) : bytes
  const bounded = { limit, bytes: maxBytes, after: position?.key }
  const page = await boundedPage(reply, bounded, hasExpand || isCsv || limit > WIDE_PAGE_ENTRIES, (request) =>
    list(filters, request)
  )
  if (page.next !== undefined) {
    const cursor = cursors.seal({ url, filters, key: page.next } satisfies Position<F, K>)
    reply.header('link', `<${url}?limit=${limit}&after=${cursor}>; rel="next"`)
  }
  if (page.headers) reply.headers(page.headers)
  return bodyOf(page)
}

/** Maximum entries of a page that takes no slot for wide pages. */
const WIDE_PAGE_ENTRIES = 100

/** The string filters of an unvalidated list query, or of its cursor. */
export function filtersOf<F extends object>(cursors: Cursors, query: unknown): Partial<F> {
  const { after, ...given } = query as Record<string, unknown>
  const filters = typeof after === 'string' ? sealedFilters(cursors, after) : given
  return Object.fromEntries(
    Object.entries(filters).filter(([, value]) => typeof value === 'string')
  ) as Partial<F>
}

function sealedFilters(cursors: Cursors, cursor: string): object {
  try {
    // A cursor of another route has no filters, and is rejected later.
    return (cursors.open(cursor) as Partial<Position<object, unknown>>).filters ?? {}
  } catch {
    return {}
  }
}

/** Bytes from which reading a page slows down other requests. */
export const LARGE_PAGE_BYTES = 262_144

/**
 * Reads a page with a slot. A page that ends before its limit is then read with a slot for large
 * work, if a slot is free in time. Otherwise the `Link` refers to the rest.
 * @throws NoSlot without the first slot.
 */
export async function boundedPage<K>(
  { server, request: { state } }: FastifyReply,
  { limit, bytes, after }: PageRequest<K>,
  isWide: boolean,
  read: (page: PageRequest<K>) => Promise<Page<K>>
): Promise<Page<K>> {
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
