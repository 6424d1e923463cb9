import { newId, type UnitOfWork, withTransaction } from '../../db/unit-of-work.js'
import { authorizeAs } from '../../platform/auth/access.js'
import type { Actor } from '../../platform/auth/actor.js'
import { FieldErrors, problem } from '../../platform/errors/problem.js'
import type { Ports } from '../../ports.js'
import { annotationAccess } from '../annotation/annotation.access.js'
import { checkAnnotations } from '../annotation/annotation.service.js'
import { saveAnnotations } from '../annotation/annotation.store.js'
import { catalogueProblem } from '../problems.js'
import { catalogueSerializers } from '../serializers.js'
import { assertSellersWithinReach } from '../visibility.js'
import { type CheckedItem, checkIdentifiers, checkItems, type PlacedItem } from './check-items.js'
import type { CatalogueItem, ItemInput } from './item.schemas.js'
import { holdCatalogues, type ItemRow, loadItem, lockItem, saveNewItems, updateItem } from './item.store.js'

/** Creates one item, with the annotations it carries, and answers its id. */
export async function createItem(ports: Ports, actor: Actor, input: ItemInput): Promise<string> {
  const [row] = await addItems(ports, actor, [{ input, pointer: '' }])
  return row?.id ?? ''
}

/** Creates items, all or none, and answers them in the order given. */
export async function createItems(
  ports: Ports,
  actor: Actor,
  inputs: readonly ItemInput[]
): Promise<CatalogueItem[]> {
  const placed = inputs.map((input, at) => ({ input, pointer: `/${at}` }))
  const rows = await addItems(ports, actor, placed)
  return rows.map(catalogueSerializers(ports).item.toJson)
}

async function addItems(ports: Ports, actor: Actor, placed: readonly PlacedItem[]): Promise<ItemRow[]> {
  const faults = new FieldErrors()
  const checked = await checkItems(ports, actor, faults, placed)
  const annotations = await checkCarried(ports, actor, faults, placed)
  faults.check()
  await checkIdentifiers(
    ports,
    faults,
    checked.map(({ values }, at) => ({ values, pointer: placed[at]?.pointer ?? '' }))
  )
  faults.check()
  return withTransaction(ports.db, actor, async (work) => {
    await holdSellers(work, ports, checked)
    const rows = checked.map(({ values }) => ({ id: newId(), createdAt: work.at, ...values }))
    await saveNewItems(work, rows)
    await saveAnnotations(
      work,
      annotations.map(({ item, values }) => ({ itemId: rows[item]?.id ?? '', ...values }))
    )
    return rows
  })
}

/**
 * Checks the annotations that items carry; who sends some must be admitted to create them. There may be thousands: their members are
 * named here and further on, since an object that begins with a spread and has more members takes twenty times as long to make.
 */
function checkCarried(ports: Ports, actor: Actor, faults: FieldErrors, placed: readonly PlacedItem[]) {
  const carried = placed.flatMap(({ input, pointer }, item) =>
    (input.annotations ?? []).map(({ buyer, name, value }, at) => ({
      buyer,
      name,
      value,
      item,
      pointer: `${pointer}/annotations/${at}`
    }))
  )
  const annotator = carried.length > 0 ? authorizeAs(actor, annotationAccess.create) : actor
  return checkAnnotations(ports, annotator, faults, carried)
}

/**
 * Replaces an item, all but its type and the seller it belongs to; it must be within the caller's reach.
 * @throws Problem `not-found`, `fixed-type`, `fixed-seller`.
 */
export async function replaceItem(ports: Ports, actor: Actor, id: string, input: ItemInput): Promise<void> {
  const item = await loadItem(ports, actor, id)
  if (!item) throw problem('not-found', 'There is no such catalogue item.')
  const faults = new FieldErrors()
  const checked = await checkItems(ports, actor, faults, [{ input, pointer: '' }], item.sellerId)
  if (input.catalogueItemType !== item.type)
    faults.add(catalogueProblem, 'fixed-type', '/catalogueItemType', `It must stay ${item.type}.`)
  faults.check()
  await checkIdentifiers(
    ports,
    faults,
    checked.map(({ values }) => ({ values, pointer: '' })),
    id
  )
  faults.check()
  await withTransaction(ports.db, actor, async (work) => {
    await holdSellers(work, ports, checked)
    if (!(await lockItem(work, ports, id))) throw problem('not-found', 'There is no such catalogue item.')
    for (const { values } of checked) await updateItem(work, id, values)
  })
}

/** Makes sure that the catalogues that were checked still have their sellers, within reach, and keep them until the work ends. */
async function holdSellers(work: UnitOfWork, ports: Ports, checked: readonly CheckedItem[]): Promise<void> {
  const reliedOn = checked.flatMap((each) => each.reliedOn)
  const sellers = await holdCatalogues(
    work,
    reliedOn.map((catalogue) => catalogue.id)
  )
  if (reliedOn.some(({ id, sellerId }) => sellers.get(id) !== sellerId))
    throw problem('busy', 'A catalogue has changed its seller meanwhile. Try again.', {
      headers: { 'retry-after': '1' }
    })
  await assertSellersWithinReach(work, ports, [...new Set(sellers.values())])
}
