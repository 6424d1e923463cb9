import { createHash } from 'node:crypto'
import type { FieldErrors } from '../../platform/errors/field-errors.js'
import { identifierValueKey } from '../../platform/text/numbers.js'
import type { Ports } from '../../ports.js'
import { checkUnique } from '../check-duplicates.js'
import { itemResource } from '../resources.js'
import { type ItemRow, itemIdentifiers } from '../tables.js'

/** An identifier is unique within its catalogue. */
const uniqueIdentifiers = {
  code: 'duplicate-identifier',
  table: itemIdentifiers,
  members: ['catalogueId', 'digest'],
  id: itemIdentifiers.itemId,
  resource: itemResource
} as const

/**
 * Adds a field error for each identifier that another item of the catalogue or of the request has.
 * Skips items without a valid catalogue, which are errors already.
 */
export function checkIdentifiers(
  ports: Ports,
  errors: FieldErrors,
  items: readonly { values: Pick<ItemRow, 'catalogueId' | 'identifiers'>; pointer: string }[],
  except?: string
): Promise<void> {
  const requested = items.flatMap(({ values: { catalogueId, identifiers }, pointer }) =>
    (catalogueId === '' ? [] : identifiers).map((each, at) => ({
      values: { catalogueId, digest: identifierDigest(each) },
      pointer: `${pointer}/identifiers/${at}`
    }))
  )
  return checkUnique(ports, errors, uniqueIdentifiers, requested, except)
}

/**
 * SHA-256 of the key of an identifier for the index: system and value may exceed the maximum size
 * of an index row.
 */
const identifierDigest = ({ system, value }: { system: string; value: string }): string =>
  createHash('sha256')
    .update(JSON.stringify([system, identifierValueKey(value)]))
    .digest('base64')

/** The rows of the index for the identifiers of an item. */
export function identifierRows({
  id,
  catalogueId,
  identifiers
}: Pick<ItemRow, 'id' | 'catalogueId' | 'identifiers'>) {
  return identifiers.map((each) => ({ catalogueId, digest: identifierDigest(each), itemId: id }))
}
