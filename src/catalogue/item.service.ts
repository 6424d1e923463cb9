import { inWork, newId } from '../db/work.js'
import { admit } from '../platform/access.js'
import type { Actor } from '../platform/actor.js'
import { Faults, problem } from '../platform/problem.js'
import type { Ports } from '../ports.js'
import { annotationAccess } from './annotation.access.js'
import { checkAnnotations } from './annotation.service.js'
import { saveAnnotations } from './annotation.store.js'
import { checkItems, type PlacedItem } from './item.check.js'
import type { CatalogueItem, ItemInput } from './item.schemas.js'
import { type ItemRow, loadItem, lockItem, saveNewItems, updateItem } from './item.store.js'
import { itemOf } from './item.view.js'
import { catalogueProblem } from './problems.js'

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
  const rows = await addItems(
    ports,
    actor,
    inputs.map((input, at) => ({ input, pointer: `/${at}` }))
  )
  return rows.map((row) => itemOf(ports, row))
}

async function addItems(ports: Ports, actor: Actor, placed: readonly PlacedItem[]): Promise<ItemRow[]> {
  const faults = new Faults()
  const checked = await checkItems(ports, actor, faults, placed)
  const wanted = placed.flatMap(({ input, pointer }, item) =>
    (input.annotations ?? []).map((annotation, at) => ({
      ...annotation,
      item,
      pointer: `${pointer}/annotations/${at}`
    }))
  )
  const annotator = wanted.length > 0 ? admit(actor, annotationAccess.create) : actor
  const annotations = await checkAnnotations(ports, annotator, faults, wanted)
  faults.check()
  return inWork(ports.db, actor, async (work) => {
    const rows = checked.map((values) => ({ id: newId(), ...values, createdAt: work.at }))
    await saveNewItems(work, rows)
    await saveAnnotations(
      work,
      annotations.map(({ item, ...annotation }) => ({ ...annotation, itemId: rows[item]?.id ?? '' }))
    )
    return rows
  })
}

/**
 * Replaces an item, all but its type and the seller it belongs to; a provider must own it.
 * @throws Problem `not-found`, `fixed-type`, `fixed-seller`.
 */
export async function replaceItem(ports: Ports, actor: Actor, id: string, input: ItemInput): Promise<void> {
  const item = await loadItem(ports.db, actor, id)
  if (!item) throw problem('not-found', 'There is no such catalogue item.')
  const faults = new Faults()
  const [values] = await checkItems(ports, actor, faults, [{ input, pointer: '' }], item.sellerId)
  if (input.catalogueItemType !== item.type)
    faults.add(catalogueProblem, 'fixed-type', '/catalogueItemType', `It must stay ${item.type}.`)
  faults.check()
  if (!values) throw new Error('checkItems answers a row for each input')
  await inWork(ports.db, actor, async (work) => {
    if (!(await lockItem(work, actor, id))) throw problem('not-found', 'There is no such catalogue item.')
    await updateItem(work, id, values)
  })
}
