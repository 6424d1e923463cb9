import { createHash } from 'node:crypto'
import { and, getTableColumns, ne, sql } from 'drizzle-orm'
import type { Queryable } from '../../db/driver/database.js'
import { inIds } from '../../db/sql/conditions.js'
import type { FieldErrors } from '../../platform/errors/field-errors.js'
import type { Ports } from '../../ports.js'
import { checkDuplicates } from '../check-duplicates.js'
import { itemResource } from '../resources.js'
import { type ItemRow, itemIdentifiers } from '../tables.js'

/**
 * Adds a field error for each identifier that another item of the catalogue or of the request has.
 * Skips items without a valid catalogue, which are errors already.
 */
export async function checkIdentifiers(
  { db, resourceUrls }: Ports,
  errors: FieldErrors,
  items: readonly { values: Pick<ItemRow, 'catalogueId' | 'identifiers'>; pointer: string }[],
  except?: string
): Promise<void> {
  const requested = items.flatMap(({ values: { catalogueId, identifiers }, pointer }) =>
    (catalogueId === '' ? [] : identifiers).map((each, at) => ({
      catalogueId,
      digest: identifierDigest(each),
      pointer: `${pointer}/identifiers/${at}`
    }))
  )
  const taken = await takenIdentifiers(db, requested, except)
  checkDuplicates(
    errors,
    'duplicate-identifier',
    requested.map((each) => ({ key: keyOf(each), pointer: each.pointer })),
    new Map(taken.map((each) => [keyOf(each), resourceUrls.url(itemResource, each.itemId)]))
  )
}

const keyOf = ({ catalogueId, digest }: CatalogueIdentifier) => `${catalogueId} ${digest}`

/** An identifier of an item within its catalogue. */
type CatalogueIdentifier = Pick<typeof itemIdentifiers.$inferSelect, 'catalogueId' | 'digest'>

/**
 * The identifiers among these that stored items have. May return more: an identifier of another one
 * of these catalogues.
 * @param except id of the item to ignore.
 */
async function takenIdentifiers(
  db: Queryable,
  requested: readonly CatalogueIdentifier[],
  except?: string
): Promise<(CatalogueIdentifier & { itemId: string })[]> {
  if (requested.length === 0) return []
  const catalogueIds = requested.map(({ catalogueId }) => catalogueId)
  const digests = requested.map(({ digest }) => digest)
  return db
    .select(getTableColumns(itemIdentifiers))
    .from(itemIdentifiers)
    .where(
      and(
        inIds(itemIdentifiers.catalogueId, catalogueIds),
        sql`${itemIdentifiers.digest} = any(${sql.param(digests)}::text[])`,
        except === undefined ? undefined : ne(itemIdentifiers.itemId, except)
      )
    )
}

/**
 * SHA-256 of an identifier for the index: system and value may exceed the maximum size of an index
 * row.
 */
const identifierDigest = ({ system, value }: { system: string; value: string }): string =>
  createHash('sha256')
    .update(JSON.stringify([system, value]))
    .digest('base64')

/** The rows of the index for the identifiers of an item. */
export function identifierRows({
  id,
  catalogueId,
  identifiers
}: Pick<ItemRow, 'id' | 'catalogueId' | 'identifiers'>) {
  return identifiers.map((each) => ({ catalogueId, digest: identifierDigest(each), itemId: id }))
}
