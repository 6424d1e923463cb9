import { agreementProblem } from '../agreement/problems.js'
import { inWork, newId } from '../db/work.js'
import { admit } from '../platform/access.js'
import type { Actor } from '../platform/actor.js'
import { Faults, problem } from '../platform/problem.js'
import { identifiersOf } from '../platform/schemas.js'
import type { Ports } from '../ports.js'
import { annotationAccess } from './annotation.access.js'
import { checkAnnotations } from './annotation.service.js'
import { saveAnnotations } from './annotation.store.js'
import type { CatalogueItem, ItemInput } from './item.schemas.js'
import { type ItemRow, loadItem, lockItem, saveNewItems, updateItem } from './item.store.js'
import { itemOf } from './item.view.js'
import { findCatalogues, findItems } from './lookup.js'
import { catalogueProblem } from './problems.js'
import { foldText } from './search-text.js'

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

/** An item of a request, and where in the body it stands. */
interface Placed {
  input: ItemInput
  pointer: string
}

async function addItems(ports: Ports, actor: Actor, placed: readonly Placed[]): Promise<ItemRow[]> {
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

type ItemValues = Omit<ItemRow, 'id' | 'createdAt'>

async function checkItems(
  ports: Ports,
  actor: Actor,
  faults: Faults,
  placed: readonly Placed[],
  sellerId?: string
): Promise<ItemValues[]> {
  const catalogues = await findCatalogues(
    ports,
    actor,
    placed.map(({ input }) => input.catalogue)
  )
  const devices = await findItems(
    ports,
    placed.flatMap(({ input }) => input.relatedTo ?? [])
  )
  return placed.map(({ input, pointer }) => {
    const catalogue = catalogues.get(input.catalogue)
    if (!catalogue)
      faults.add(
        problem,
        'dangling-reference',
        `${pointer}/catalogue`,
        'It must be the URL of a catalogue that you may change.'
      )
    else if (sellerId !== undefined && catalogue.sellerId !== sellerId)
      faults.add(
        catalogueProblem,
        'fixed-seller',
        `${pointer}/catalogue`,
        'It must be a catalogue of the same seller.'
      )
    const device = input.relatedTo ? devices.get(input.relatedTo) : undefined
    if (input.relatedTo && !device)
      faults.add(
        problem,
        'dangling-reference',
        `${pointer}/relatedTo`,
        'It must be the URL of a catalogue item.'
      )
    if (device && catalogue && (device.type !== 'DeviceModel' || device.sellerId !== catalogue.sellerId))
      faults.add(
        catalogueProblem,
        'unrelated-item',
        `${pointer}/relatedTo`,
        'It must be a device model of the same seller.'
      )
    return {
      catalogueId: catalogue?.id ?? '',
      ...membersOf(input),
      relatedToId: device?.id ?? null,
      status: codeOf(
        ports,
        faults,
        'catalogue-item-status',
        input.status ?? 'AVAILABLE',
        `${pointer}/status`
      ),
      serviceType: input.serviceType
        ? codeOf(ports, faults, 'service-type', input.serviceType, `${pointer}/serviceType`)
        : null
    }
  })
}

function membersOf(input: ItemInput) {
  const { manufacturer = null, model = null, version = null } = input
  return {
    type: input.catalogueItemType,
    identifiers: identifiersOf(input.identifiers),
    name: input.name,
    description: input.description ?? null,
    manufacturer,
    model,
    version,
    searchText: foldText([input.name, model, manufacturer].filter(Boolean).join(' '))
  }
}

function codeOf(
  { terminology }: Ports,
  faults: Faults,
  set: 'catalogue-item-status' | 'service-type',
  input: NonNullable<ItemInput['status']>,
  pointer: string
): string {
  const code = terminology.code(set, input)
  if (code === undefined)
    faults.add(
      agreementProblem,
      'unknown-coding',
      pointer,
      `It must be one of ${terminology.codes(set).join(', ')}.`
    )
  return code ?? ''
}
