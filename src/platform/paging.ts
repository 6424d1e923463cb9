import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { Type } from '@sinclair/typebox'
import type { FastifyReply } from 'fastify'
import { fieldProblem, problem } from './problem.js'
import { listOf } from './written.js'

/** Query parameters of every list. */
export const pageQuery = (maximum: number) => ({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum, description: 'Entries at most.' })),
  after: Type.Optional(Type.String({ description: 'Cursor of a further page, taken from a Link header.' }))
})

/** One page of a list; `next` is the key of its last entry when there are more. */
export interface Page<T, K> {
  entries: T[]
  next: K | undefined
}

/** What a list query asks for: filters, how many entries at most, and the key after which they begin. */
export interface PageRequest<K> {
  limit: number
  after: K | undefined
}

/** Cuts the entry that was read beyond the limit, and keeps the key of the last one as the next page's beginning. */
export function pageOf<T, K>(rows: readonly T[], limit: number, keyOf: (row: T) => K): Page<T, K> {
  const entries = rows.slice(0, limit)
  const last = entries.at(-1)
  return { entries, next: rows.length > limit && last !== undefined ? keyOf(last) : undefined }
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
}

/**
 * Runs a list query and announces a further page in a `Link` header. A cursor brings its filters along, so it is sent
 * alone or with `limit`.
 */
export async function answerPage<F extends object, K>(
  reply: FastifyReply,
  { cursors, url, limit: maximum }: ListAddress,
  { limit = maximum, after, ...given }: F & { limit?: number; after?: string },
  list: (filters: F, page: PageRequest<K>) => Promise<Page<unknown, K>>
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
  const page = await list(filters, { limit, after: position?.key })
  if (page.next !== undefined) {
    const cursor = cursors.seal({ url, filters, key: page.next } satisfies Position<F, K>)
    reply.header('link', `<${url}?limit=${limit}&after=${cursor}>; rel="next"`)
  }
  return listOf(page.entries)
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
