import { newId, type UnitOfWork, unitOfWork } from '../../db/unit-of-work.js'
import type { Call } from '../../platform/auth/call.js'
import { authorizeAs } from '../../platform/auth/scope.js'
import { FieldErrors } from '../../platform/errors/field-errors.js'
import { problem } from '../../platform/errors/problem.js'
import type { CreateEntry } from '../../platform/rest/bulk-route.js'
import { assertRevision, revisionOf } from '../../platform/rest/revision.js'
import type { Ports } from '../../ports.js'
import { saveAnnotations } from '../annotation/annotation.store.js'
import { checkAnnotations } from '../annotation/check-annotations.js'
import { annotationAccess } from '../catalogue.access.js'
import { catalogueProblem } from '../problems.js'
import type { ItemRow } from '../tables.js'
import { type CheckedItem, checkItems } from './check-items.js'
import type { ItemInput } from './item.schemas.js'
import { loadVisibleItems, lockCatalogues, lockItem, saveNewItems, updateItems } from './item.store.js'
import { checkIdentifiers } from './item-identifiers.js'

/** Creates items with their annotations, all or none, and returns them in the same order. */
export async function createItems(
  ports: Ports,
  call: Call,
  items: readonly CreateEntry<ItemInput>[]
): Promise<ItemRow[]> {
  const errors = new FieldErrors()
  const checked = await checkItems(ports, call, errors, items)
  const annotations = await checkItemAnnotations(ports, call, errors, items)
  await checkIdentifiers(
    ports,
    errors,
    checked.map(({ values }, at) => ({ values, pointer: items[at]?.pointer ?? '' }))
  )
  errors.check()
  return unitOfWork(ports, call, async (work) => {
    await lockSellers(work, checked)
    const rows = checked.map(({ values }) => ({
      id: newId(),
      createdAt: work.at,
      eventCount: 1,
      withdrawnAt: null,
      ...values
    }))
    await saveNewItems(work, rows)
    await saveAnnotations(
      work,
      annotations.map(({ index, values }) => ({ itemId: rows[index]?.id ?? '', ...values }))
    )
    return rows
  })
}

/**
 * Validates the annotations of items, which require permission to create annotations. Their index
 * is that of their item. The members are listed because there may be thousands of annotations, and
 * an object literal that begins with a spread takes twenty times as long.
 */
function checkItemAnnotations(
  ports: Ports,
  call: Call,
  errors: FieldErrors,
  items: readonly CreateEntry<ItemInput>[]
) {
  const annotations = items.flatMap(({ input, pointer }, index) =>
    (input.annotations ?? []).map(({ buyer, name, value }, at) => ({
      buyer,
      name,
      value,
      index,
      pointer: `${pointer}/annotations/${at}`
    }))
  )
  const annotator = annotations.length > 0 ? authorizeAs(call, annotationAccess.create) : call
  return checkAnnotations(ports, annotator, errors, annotations)
}

/**
 * Replaces an item that the caller may change, except its type and its seller.
 * @throws Problem `not-found`, `precondition-failed`, `fixed-type`, `fixed-seller`.
 */
export async function replaceItem(ports: Ports, call: Call, id: string, input: ItemInput): Promise<void> {
  const [item] = await loadVisibleItems(ports.db, call, [id])
  if (!item) throw problem('not-found')
  const errors = new FieldErrors()
  const checked = await checkItems(ports, call, errors, [{ input, pointer: '' }], item.sellerId)
  if (input.catalogueItemType !== item.type)
    errors.add(catalogueProblem('fixed-type.current', '/catalogueItemType', { type: item.type }))
  await checkIdentifiers(
    ports,
    errors,
    checked.map(({ values }) => ({ values, pointer: '' })),
    id
  )
  errors.check()
  await unitOfWork(ports, call, async (work) => {
    await lockSellers(work, checked)
    const [stored] = await lockItem(work, id)
    if (!stored) throw problem('not-found')
    assertRevision(call, () => revisionOf(stored))
    const rows = checked.map(({ values }) => ({ ...stored, ...values, withdrawnAt: null }))
    await updateItems(work, rows, new Map([[id, stored.status]]))
  })
}

/**
 * Locks catalogues until the transaction ends, and checks that their sellers are unchanged and
 * still visible to the caller.
 * @throws Problem `busy` when a seller has changed since the validation.
 */
async function lockSellers(work: UnitOfWork, checked: readonly CheckedItem[]): Promise<void> {
  const reliedOn = checked.flatMap((each) => each.reliedOn)
  const sellers = await lockCatalogues(
    work,
    reliedOn.map((catalogue) => catalogue.id)
  )
  if (reliedOn.some(({ id, sellerId }) => sellers.get(id) !== sellerId))
    throw problem('busy', null, null, { headers: { 'retry-after': '1' } })
}
