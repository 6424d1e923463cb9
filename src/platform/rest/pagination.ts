import { forEachYielding } from '../concurrency/map-yielding.js'

/**
 * One page of a list. Its entries are bytes, which need no text of the whole page. `next` is the
 * key after which it continues.
 */
export interface Page<K> {
  entries: readonly Buffer[]
  next: K | undefined
  /**
   * Resources that the entries refer to, as JSON. With these resources the response is an object.
   */
  expanded?: string
  headers?: Readonly<Record<string, string>>
}

export interface PageWithRows<R, K> extends Page<K> {
  rows: readonly R[]
}

export const emptyPage: Page<never> = { entries: [], next: undefined }

/** Maximum entries and bytes of a page, and the key after which it begins. */
export interface PageRequest<K> {
  limit: number
  bytes: number
  after: K | undefined
}

/**
 * Serializes rows into a page of at most `bytes` bytes, but with at least one entry.
 * Yields to the event loop between rows, so that a large page does not delay other requests.
 * @param rows up to `limit + 1` rows; the last one shows that there is a next page.
 * @param entryOf serializes a row.
 * @param hasMore whether more rows follow those that were read.
 */
export async function serializedPage<R, K>(
  rows: readonly R[],
  { limit, bytes }: Omit<PageRequest<K>, 'after'>,
  keyOf: (row: R) => K,
  entryOf: (row: R) => string | Buffer,
  hasMore = rows.length > limit
): Promise<PageWithRows<R, K>> {
  const entries: Buffer[] = []
  let bytesLeft = bytes
  let isFull = false
  await forEachYielding(rows.slice(0, limit), (row) => {
    if (isFull) return
    const serialized = entryOf(row)
    const entry = typeof serialized === 'string' ? Buffer.from(serialized) : serialized
    bytesLeft -= entry.length + ','.length
    isFull = bytesLeft < 0 && entries.length > 0
    if (!isFull) entries.push(entry)
  })
  const shown = rows.slice(0, entries.length)
  const last = shown.at(-1)
  const isEnd = !hasMore && shown.length === rows.length
  return { rows: shown, entries, next: last === undefined || isEnd ? undefined : keyOf(last) }
}

/** The number of first entries that together fit into a size; at least one if there are entries. */
export function countFitting<E>(entries: readonly E[], size: number, sizeOf: (entry: E) => number): number {
  let left = size
  const end = entries.findIndex((entry, at) => {
    left -= sizeOf(entry)
    return left < 0 && at > 0
  })
  return end < 0 ? entries.length : end
}

/** The page that ends after its first entries. */
export function firstEntries<R, K>(
  page: PageWithRows<R, K>,
  count: number,
  keyOf: (row: R) => K
): PageWithRows<R, K> {
  const last = page.rows[count - 1]
  if (last === undefined || count === page.rows.length) return page
  return {
    ...page,
    rows: page.rows.slice(0, count),
    entries: page.entries.slice(0, count),
    next: keyOf(last)
  }
}

/** @throws the error of `missing` if a row is missing. */
export function inOrderOf<R extends { id: string }>(
  ids: readonly string[],
  rows: readonly R[],
  missing: () => Error
): R[] {
  const byId = new Map(rows.map((row) => [row.id, row]))
  return ids.map((id) => {
    const row = byId.get(id)
    if (!row) throw missing()
    return row
  })
}
