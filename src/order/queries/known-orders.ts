import { type SQL, sql } from 'drizzle-orm'
import { LRUCache } from 'lru-cache'
import { memoizePerApp } from '../../platform/util/memoize-per-app.js'

/*
 * Providers poll the orders that wait for them, and few of them change in between. The JSON of the
 * first page of a list is kept, so that PostgreSQL writes only that of orders that have changed.
 */

/** Kept JSON, in bytes. */
const MAX_BYTES = 33_554_432

/** A listed order as PostgreSQL returns it: with empty JSON if it is known in this version. */
export type VersionedRow = readonly [id: Buffer, version: Buffer, json: Buffer | null]

/** The orders of a page. */
export interface KnownOrders {
  /** As JSON: the version of each by its id. */
  versions: string
  json: ReadonlyMap<string, Buffer>
}

/** The known orders of each first page, by a text that identifies its list. */
export const firstPages = memoizePerApp(
  () => new LRUCache<string, KnownOrders>({ maxSize: MAX_BYTES, sizeCalculation: sizeOf })
)

const sizeOf = ({ versions, json }: KnownOrders) =>
  [...json.values()].reduce((bytes, { length }) => bytes + length, versions.length)

export const noKnownOrders: KnownOrders = { versions: '{}', json: new Map() }

/**
 * SQL expression: the version of a listed order. Every write of its row changes it, whoever writes,
 * and so does its attention, which depends on the time and on others.
 */
export const version = sql`orders.row_version || orders.attention`

/** SQL expression: a JSON text, or an empty one if the order is known in this version. */
export const unlessKnown = (json: SQL): SQL => sql`
  case when ${sql.placeholder('known')}::jsonb ->> orders.id::text = ${version} then '' else ${json} end`

/** The JSON of each row, also of known orders. */
export const jsonOf = ({ json }: KnownOrders, rows: readonly VersionedRow[]): (Buffer | null)[] =>
  rows.map(([id, , text]) => (text?.length === 0 ? (json.get(String(id)) ?? null) : text))

/** The orders that are known after a page: the same ones, if none was written for it. */
export function knownAfter(known: KnownOrders, rows: readonly VersionedRow[]): KnownOrders {
  if (!rows.some(([, , text]) => text && text.length > 0)) return known
  const json = jsonOf(known, rows)
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
