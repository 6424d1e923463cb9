import { createHash } from 'node:crypto'
import { type SQL, sql } from 'drizzle-orm'
import { LRUCache } from 'lru-cache'
import { memoizePerApp } from '../../platform/util/memoize-per-app.js'
import type { Ports } from '../../ports.js'
import { attentionByTime, attentionOfList } from '../store/attention.js'
import type { Side } from '../store/visibility.js'

/*
 * Providers poll the orders that wait for them, and mostly none changes in between. The first page
 * of a list is cached, so that PostgreSQL writes it only if it has changed.
 */

/** Cached bytes of rows. */
const MAX_BYTES = 33_554_432
/** After so long without a poll nothing is left of the patients of a page. */
const UNUSED_MS = 10 * 60_000

/** A listed order. `value` is what the list is sorted by. */
export type OrderListRow = readonly [id: Buffer, patient: Buffer, value: Buffer | null, json: Buffer | null]

/** A page in a version. */
interface CachedPage {
  version: string
  rows: readonly OrderListRow[]
}

/** Each first page, by a text that identifies its list. */
export const firstPageCache = memoizePerApp(
  () =>
    new LRUCache<string, CachedPage>({
      ...{ maxSize: MAX_BYTES, sizeCalculation: sizeOf },
      ...{ ttl: UNUSED_MS, ttlAutopurge: true, updateAgeOnGet: true }
    })
)

/** About the bytes of a page without rows. */
const PAGE_BYTES = 500

const sizeOf = ({ rows }: CachedPage, key: string) =>
  rows.flat().reduce((bytes, value) => bytes + (value?.length ?? 0), PAGE_BYTES + key.length)

/**
 * SQL expression: the version of a listed order on a day. Every write of its row changes it,
 * whoever writes; a change of its lines writes its row too.
 */
export const listedVersion = (ports: Ports, side: Side): SQL =>
  sql`orders.id || orders.xmin::text || ${attentionByTime(ports, attentionOfList(side))}`

/** SQL query: the version of a list from those of its orders as `version`; null if it has none. */
export const versionOfList = (listed: SQL): SQL =>
  sql`select encode(sha256(convert_to(string_agg(version, ' '), 'UTF8')), 'hex') from (${listed}) listed`

/** The same version from those of orders that were read. Of a page that was cut it is another. */
export const versionOfRows = (versions: readonly Buffer[]): string =>
  createHash('sha256').update(versions.join(' ')).digest('hex')

/** Rows that do not keep in memory what else the socket received with them. */
export const copyOf = (rows: readonly OrderListRow[]): OrderListRow[] =>
  rows.map(([id, patient, value, json]) => [
    Buffer.from(id),
    Buffer.from(patient),
    value && Buffer.from(value),
    json && Buffer.from(json)
  ])
