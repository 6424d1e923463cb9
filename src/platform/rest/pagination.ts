import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { Type } from '@sinclair/typebox'
import type { FastifyReply } from 'fastify'
import { PermitRefused } from '../concurrency/semaphore.js'
import { fieldProblem, problem } from '../errors/problem.js'
import { jsonArray, RawJson } from '../json/raw-json.js'
import { queueSignal } from '../server/bulkhead.js'

/** Query parameters of every list. */
export const pageQuery = (maximum: number) => ({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum, description: 'Entries at most.' })),
  after: Type.Optional(Type.String({ description: 'Cursor of a further page, taken from a Link header.' }))
})

/** One page of a list; `next` is the key of its last entry when there are more. */
export interface Page<K> {
  entries: readonly RawJson[]
  next: K | undefined
}

/** A page with the rows that it shows. */
export interface PageWithRows<R, K> extends Page<K> {
  rows: readonly R[]
}

export const emptyPage: Page<never> = { entries: [], next: undefined }

/** What a list query asks for: entries and bytes of a page at most, and the key after which it begins. */
export interface PageRequest<K> {
  limit: number
  bytes: number
  after: K | undefined
}

/** A row that ends with its JSON, or with null where the page had no room for it. */
export type JsonRow = readonly [...keys: Buffer[], json: Buffer | null]

/** The page of rows whose JSON PostgreSQL wrote; one row more than the page may have was asked for. */
export function rawJsonPage<R extends JsonRow, K>(
  rows: readonly R[],
  { limit }: PageRequest<K>,
  keyOf: (row: R) => K
): PageWithRows<R, K> {
  const end = rows.findIndex((row) => row.at(-1) === null)
  const shown = rows.slice(0, end < 0 ? limit : Math.min(end, limit))
  const entries = shown.map((row) => new RawJson(row.at(-1) as Buffer))
  return { rows: shown, entries, next: nextKey(rows, shown, keyOf) }
}

/** The page of rows whose JSON is made here, as many as have no more bytes than a page may have, and at least one. */
export function pageOf<R, K>(
  rows: readonly R[],
  { limit, bytes }: Omit<PageRequest<K>, 'after'>,
  keyOf: (row: R) => K,
  entryOf: (row: R) => object
): PageWithRows<R, K> {
  const entries: RawJson[] = []
  let left = bytes
  for (const row of rows.slice(0, limit)) {
    const json = Buffer.from(JSON.stringify(entryOf(row)))
    left -= json.length + ','.length
    if (left < 0 && entries.length > 0) break
    entries.push(new RawJson(json))
  }
  const shown = rows.slice(0, entries.length)
  return { rows: shown, entries, next: nextKey(rows, shown, keyOf) }
}

function nextKey<R, K>(rows: readonly R[], shown: readonly R[], keyOf: (row: R) => K): K | undefined {
  const last = shown.at(-1)
  return last !== undefined && rows.length > shown.length ? keyOf(last) : undefined
}

/** Cursors: a list's position with its filters inside, encrypted, so that a URL holds no patient reference in clear. */
export interface Cursors {
  seal(value: unknown): string
  /** @throws Problem `invalid-query` for a cursor that is none of ours. */
  open(cursor: string): unknown
}

const algorithm = 'aes-256-gcm'

/** @param key 32 bytes, shared by all instances of the service. */
export function createCursors(key: Uint8Array): Cursors {
  return {
    seal(value) {
      const iv = randomBytes(12)
      const cipher = createCipheriv(algorithm, key, iv)
      const sealed = Buffer.concat([cipher.update(pack(JSON.stringify(value))), cipher.final()])
      return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64url')
    },
    open(cursor) {
      try {
        const bytes = Buffer.from(cursor, 'base64url')
        const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, 12)).setAuthTag(
          bytes.subarray(12, 28)
        )
        const opened = Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()])
        return JSON.parse(unpack(opened))
      } catch {
        throw problem('invalid-query', 'The cursor in after is none of ours. Take it from a Link header.')
      }
    }
  }
}

const [asItIs, compressed] = [Buffer.of(0), Buffer.of(1)]

/** Long filters hold addresses much alike, and the link must fit a query string; to compress short ones takes longer than all else. */
const pack = (text: string): Buffer =>
  text.length < 1000
    ? Buffer.concat([asItIs, Buffer.from(text)])
    : Buffer.concat([compressed, deflateRawSync(text)])

function unpack(bytes: Buffer): string {
  const content = bytes.subarray(1)
  return String(bytes[0] === compressed[0] ? inflateRawSync(content) : content)
}

interface Position<F, K> {
  url: string
  filters: F
  key: K
}

/** What answering a page needs from the server: the cursors and the address of the list. */
export interface ListAddress {
  cursors: Cursors
  /** Fully qualified URL of the list, without a query. */
  url: string
  /** Entries of a page at most. */
  limit: number
  /** Bytes of a page at most. */
  bytes: number
}

/**
 * Runs a list query and announces a further page in a `Link` header. A cursor brings its filters along, so it is sent
 * alone or with `limit`.
 */
export async function sendPage<F extends object, K>(
  reply: FastifyReply,
  { cursors, url, limit: maximum, bytes }: ListAddress,
  { limit = maximum, after, ...given }: F & { limit?: number; after?: string },
  list: (filters: F, page: PageRequest<K>) => Promise<Page<K>>
): Promise<unknown> {
  // Ajv lets a text that it read as Infinity pass every bound.
  if (!Number.isFinite(limit))
    throw fieldProblem(problem, 'invalid-query', '/limit', `Query parameter limit must be <= ${maximum}.`)
  const position = after === undefined ? undefined : (cursors.open(after) as Position<F, K>)
  if (position && (position.url !== url || Object.keys(given).length > 0))
    throw problem(
      'invalid-query',
      'A cursor holds its filters: send it alone or with limit, to the list it came from.'
    )
  const filters = position?.filters ?? (given as unknown as F)
  const page = await boundedPage(reply, { limit, bytes, after: position?.key }, (wanted) =>
    list(filters, wanted)
  )
  if (page.next !== undefined) {
    const cursor = cursors.seal({ url, filters, key: page.next } satisfies Position<F, K>)
    reply.header('link', `<${url}?limit=${limit}&after=${cursor}>; rel="next"`)
  }
  return jsonArray(page.entries)
}

/** Bytes from which a page keeps PostgreSQL and this process busy for so long that other callers feel it. */
const LARGE_PAGE_BYTES = 262_144

/**
 * Reads a page. Large pages are read one after the other: a page is read small first, and whole when it is its turn. Where its
 * time to wait is over the small one is the answer, which announces the rest as any page does.
 */
async function boundedPage<K>(
  { server, request }: FastifyReply,
  { limit, bytes, after }: PageRequest<K>,
  read: (page: PageRequest<K>) => Promise<Page<K>>
): Promise<Page<K>> {
  // The brackets of the list are counted as well.
  const readUpTo = (most: number) => read({ limit, bytes: most - '[]'.length, after })
  if (bytes <= LARGE_PAGE_BYTES) return readUpTo(bytes)
  const small = await readUpTo(LARGE_PAGE_BYTES)
  if (small.next === undefined || small.entries.length === limit) return small
  try {
    return await server.largeRequests.run(queueSignal(request.deadline), () => readUpTo(bytes))
  } catch (cause) {
    if (cause instanceof PermitRefused) return small
    throw cause
  }
}

/** The texts among the filters of a list query, which is not validated yet, or those that its cursor holds. */
export function filtersOf<F extends object>(cursors: Cursors, query: unknown): Partial<F> {
  const { after, ...given } = query as Record<string, unknown>
  const filters = typeof after === 'string' ? sealedFilters(cursors, after) : given
  return Object.fromEntries(
    Object.entries(filters).filter(([, value]) => typeof value === 'string')
  ) as Partial<F>
}

function sealedFilters(cursors: Cursors, cursor: string): object {
  try {
    return (cursors.open(cursor) as Position<object, unknown>).filters
  } catch {
    return {}
  }
}
