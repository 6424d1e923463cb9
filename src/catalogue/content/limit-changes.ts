import type { FieldErrors } from '../../platform/errors/field-errors.js'
import { catalogueProblem } from '../problems.js'
import type { BuyerRows } from './merge-buyer-rows.js'
import type { Plan } from './plan-items.js'

/**
 * The limit on new annotations, and on new white list entries, is the limit on items times this
 * factor.
 */
const ROWS_PER_ITEM = 10

/** Adds an error if a part has too many new and changed rows, at the first row over the limit. */
export function limitChanges(
  errors: FieldErrors,
  maxItems: number,
  { created, changed }: Plan,
  { annotations, whiteList }: BuyerRows
): void {
  const limit = (part: string, rows: readonly { index: number }[], max: number) => {
    const first = rows.map(({ index }) => index).sort((one, other) => one - other)[max]
    if (first !== undefined)
      errors.add(catalogueProblem('too-many-changes.rows', `/${part}/${first}`, { max, count: rows.length }))
  }
  limit('items', [...created, ...changed], maxItems)
  limit('annotations', annotations, maxItems * ROWS_PER_ITEM)
  limit('whiteList', whiteList, maxItems * ROWS_PER_ITEM)
}
