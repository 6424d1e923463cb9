import { type SQL, sql } from 'drizzle-orm'
import { LRUCache } from 'lru-cache'
import { memoizePerApp } from '../../platform/util/memoize-per-app.js'

/*
 * Providers poll the orders that wait for them, and few of them change in between. The JSON of the
 * first page of a list is cached, so that PostgreSQL writes only that of orders that have changed.
 */

/** Cached JSON, in bytes. */
const MAX_BYTES = 33_554_432
/** After so long without a poll nothing is left of the patients of a page. */
const UNUSED_MS = 10 * 60_000

/** A listed order as PostgreSQL returns it: with empty JSON if it is cached in this version. */
export type VersionedRow = readonly [id: Buffer, version: Buffer, json: Buffer | null]

/** The orders of a page. */
export interface CachedOrders {
  /** As JSON: the version of each by its id. */
  versions: string
  json: ReadonlyMap<string, Buffer>
}

/** The orders of each first page, by a text that identifies its list. */
export const firstPageCache = memoizePerApp(
  () =>
    new LRUCache<string, CachedOrders>({
      ...{ maxSize: MAX_BYTES, sizeCalculation: sizeOf },
      ...{ ttl: UNUSED_MS, ttlAutopurge: true }
    })
)

const sizeOf = ({ versions, json }: CachedOrders) =>
  [...json.values()].reduce((bytes, { length }) => bytes + length, versions.length)

export const noCachedOrders: CachedOrders = { versions: '{}', json: new Map() }

/**
 * SQL expression: the version of a listed order. Every write of its row changes it, whoever writes,
 * and so does its attention, which depends on the time and on others.
 */
export const version = sql`orders.row_version || orders.attention`

/** SQL expression: a JSON text, or an empty one if the order is cached in this version. */
export const unlessCached = (json: SQL): SQL => sql`
  case when ${sql.placeholder('cached')}::jsonb ->> orders.id::text = ${version} then '' else ${json} end`

/** The JSON of each row, also of cached orders. */
export const jsonOf = ({ json }: CachedOrders, rows: readonly VersionedRow[]): (Buffer | null)[] =>
  rows.map(([id, , text]) => (text?.length === 0 ? (json.get(String(id)) ?? null) : text))

/** What to cache after a page: the same orders, if none was written for it. */
export function cachedAfter(cached: CachedOrders, rows: readonly VersionedRow[]): CachedOrders {
  if (!rows.some(([, , text]) => text && text.length > 0)) return cached
  const json = jsonOf(cached, rows)
  const kept = rows.flatMap(([id, version], at) => {
    const text = json[at]
    return text ? [{ id: String(id), version: String(version), text }] : []
  })
  return {
    versions: JSON.stringify(Object.fromEntries(kept.map(({ id, version }) => [id, version]))),
    // A part of what the socket received would keep the rest in memory.
    json: new Map(kept.map(({ id, text }) => [id, Buffer.from(text)]))
  }
}
