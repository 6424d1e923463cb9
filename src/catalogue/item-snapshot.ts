import { type SQL, sql } from 'drizzle-orm'
import type { Identifier } from '../platform/schemas/schemas.js'

/**
 * An item at the time of its order or delivery. Later changes of the catalogue do not change this
 * copy.
 */
export interface ItemSnapshot {
  name: string
  manufacturer: string | null
  model: string | null
  version: string | null
  identifiers: Identifier[]
}

export const snapshotNames = ['name', 'manufacturer', 'model', 'version', 'identifiers'] as const

/** SQL expression: the {@link ItemSnapshot} of a row of `catalogue_items`, as JSON. */
export const itemSnapshot = (alias: string): SQL =>
  sql.raw(`json_build_object(${snapshotNames.map((name) => `'${name}', ${alias}.${name}`).join(', ')})`)
