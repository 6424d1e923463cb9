import { Type } from '@sinclair/typebox'
import type { FastifyReply } from 'fastify'
import { callerKeyOf } from '../auth/caller.js'
import { PermitRefused } from '../concurrency/semaphore.js'
import { problem } from '../errors/problem.js'
import { jsonArray, jsonObjectOf, RawJson } from '../json/raw-json.js'
import { maxWaitSignal } from '../server/bulkhead.js'
import type { Cursors } from './cursors.js'

/** Query parameters of every list. */
export const pageQuery = (maximum: number) => ({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum, description: 'Maximum number of entries.' })),
  after: Type.Optional(Type.String({ description: 'Cursor of the next page, from a Link header.' }))
})

/** One page of a list. `next` is the key of its last entry when there are more. */
export interface Page<K, E = RawJson> {
  entries: readonly E[]
  next: K | undefined
  /** Resources that the entries refer to. With them the response is an object. */
  expanded?: RawJson
  /** Further headers of the response. */
  headers?: Readonly<Record<string, string>>
}

/** A page with the rows of its entries. */
export interface PageWithRows<R, K, E = RawJson> extends Page<K, E> {
  rows: readonly R[]
}

export const emptyPage: Page<never> = { entries: [], next: undefined }

/** Maximum entries and bytes of a page, and the key after which it begins. */
export interface PageRequest<K> {
  limit: number
  bytes: number
  after: K | undefined
}

/** A row that ends with its JSON; null when the JSON did not fit into the page. */
export type JsonRow = readonly [...keys: (Buffer | null)[], json: Buffer | null]

/**
 * Makes a page of rows whose JSON PostgreSQL wrote, up to its maximum bytes, with at least one.
 * @param rows up to `limit + 1` rows; the last one shows that there is a next page.
 */
export const rawJsonPage = <R extends JsonRow, K>(
  rows: readonly R[],
  page: Omit<PageRequest<K>, 'after'>,
  keyOf: (row: R) => K
): PageWithRows<R, K> => jsonPage(bytesPage(rows, page, keyOf, (row) => row.at(-1) ?? undefined))

/** Makes a page of rows that are serialized here, up to its maximum bytes, with at least one. */
export const pageOf = <R, K>(
  rows: readonly R[],
  page: Omit<PageRequest<K>, 'after'>,
  keyOf: (row: R) => K,
  entryOf: (row: R) => object
): PageWithRows<R, K> =>
  jsonPage(bytesPage(rows, page, keyOf, (row) => Buffer.from(JSON.stringify(entryOf(row)))))

const jsonPage = <R, K>(page: PageWithRows<R, K, Buffer>): PageWithRows<R, K> => ({
  ...page,
  entries: page.entries.map((json) => new RawJson(json))
})

/** Makes a page of rows with the bytes of each, up to its maximum bytes, with at least one. */
export function bytesPage<R, K>(
  rows: readonly R[],
  { limit, bytes }: Omit<PageRequest<K>, 'after'>,
  keyOf: (row: R) => K,
  bytesOf: (row: R) => Buffer | undefined
): PageWithRows<R, K, Buffer> {
  const entries: Buffer[] = []
  let bytesLeft = bytes
  for (const row of rows.slice(0, limit)) {
    const entry = bytesOf(row)
    bytesLeft -= (entry?.length ?? 0) + ','.length
    if (!entry || (bytesLeft < 0 && entries.length > 0)) break
    entries.push(entry)
  }
  const shown = rows.slice(0, entries.length)
  return { rows: shown, entries, next: nextKey(rows, shown, keyOf) }
}

function nextKey<R, K>(rows: readonly R[], shown: readonly R[], keyOf: (row: R) => K): K | undefined {
  const last = shown.at(-1)
  return last !== undefined && rows.length > shown.length ? keyOf(last) : undefined
}

interface Position<F, K> {
  url: string
  filters: F
  key: K
}

/** The cursors, URL and limits of a list. */
export interface ListAddress {
  cursors: Cursors
  /** Fully qualified URL of the list, without a query. */
  url: string
  /** Maximum and default entries of a page. */
  limit: number
  /** Maximum bytes of a page. */
  bytes: number
}

/** The body of a page as JSON. */
export function jsonBodyOf({ entries, expanded }: Page<unknown>): RawJson {
  const list = jsonArray(entries)
  return expanded ? jsonObjectOf({ entries: list, expanded }) : list
}

/**
 * Runs a list query and names the next page in a `Link` header. A cursor contains its filters, so
 * only `limit` may accompany it.
 * @param bodyOf makes the body of the response.
 * @throws Problem `invalid-query` for an invalid limit or cursor, or for a cursor with filters.
 */
export async function sendPage<F extends object, K, E>(
  reply: FastifyReply,
  { cursors, url, limit: maximum, bytes }: ListAddress,
  { limit = maximum, after, ...given }: F & { limit?: number; after?: string },
  list: (filters: F, page: PageRequest<K>) => Promise<Page<K, E>>,
  bodyOf: (page: Page<K, E>) => unknown
): Promise<unknown> {
  const position = after === undefined ? undefined : (cursors.open(after) as Position<F, K>)
  if (position && (position.url !== url || Object.keys(given).length > 0))
    throw problem('invalid-query', {
      en: 'A cursor contains its filters. Send it to the list it came from, with no parameter but limit.',
      da: 'En cursor indeholder sine filtre. Send den til den liste, den kom fra, uden andre parametre end limit.'
    })
  const filters = position?.filters ?? (given as unknown as F)
  // What entries refer to costs more than the entries: such a page is never large.
  const maxBytes = 'expand' in filters ? Math.min(bytes, LARGE_PAGE_BYTES) : bytes
  const page = await boundedPage(reply, { limit, bytes: maxBytes, after: position?.key }, (bounded) =>
    list(filters, bounded)
  )
  if (page.next !== undefined) {
    const cursor = cursors.seal({ url, filters, key: page.next } satisfies Position<F, K>)
    reply.header('link', `<${url}?limit=${limit}&after=${cursor}>; rel="next"`)
  }
  if (page.headers) reply.headers(page.headers)
  return bodyOf(page)
}

/** Bytes from which reading a page slows down other requests. */
const LARGE_PAGE_BYTES = 262_144

/**
 * Reads a page. A caller reads one large page at a time: first a small page, then the large one
 * once it gets a permit. Without a permit in time, the small page is the response; its `Link` names
 * the rest.
 */
async function boundedPage<K, E>(
  { server, request: { call, deadline } }: FastifyReply,
  { limit, bytes, after }: PageRequest<K>,
  read: (page: PageRequest<K>) => Promise<Page<K, E>>
): Promise<Page<K, E>> {
  // The limit includes the brackets of the array.
  const readUpTo = (maxBytes: number) => read({ limit, bytes: maxBytes - '[]'.length, after })
  if (bytes <= LARGE_PAGE_BYTES) return readUpTo(bytes)
  const small = await readUpTo(LARGE_PAGE_BYTES)
  if (small.next === undefined || small.entries.length === limit) return small
  try {
    const read = () => readUpTo(bytes)
    return await server.largeRequests.run(maxWaitSignal(deadline), read, callerKeyOf(call.caller))
  } catch (cause) {
    if (cause instanceof PermitRefused) return small
    throw cause
  }
}

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
    // A cursor of something else has none. It is refused later.
    return (cursors.open(cursor) as Partial<Position<object, unknown>>).filters ?? {}
  } catch {
    return {}
  }
}
