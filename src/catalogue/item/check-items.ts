import type { Actor } from '../../platform/auth/actor.js'
import type { FieldErrors } from '../../platform/errors/problem.js'
import { identifiersOf } from '../../platform/schemas/schemas.js'
import { searchTexts } from '../../platform/util/search-text.js'
import type { Ports } from '../../ports.js'
import { resolveCode } from '../../terminology/known-code.js'
import { type CatalogueFound, findCatalogues, findItems, type ItemFound } from '../lookup.js'
import { catalogueProblem } from '../problems.js'
import type { ItemInput } from './item.schemas.js'
import { digestOf, type ItemRow, type NamedInCatalogue, takenIdentifiers } from './item.store.js'

/** An item of a request, and where in the body it stands. */
export interface PlacedItem {
  input: ItemInput
  pointer: string
}

export type ItemValues = Omit<ItemRow, 'id' | 'createdAt'>

/** A checked item, and the catalogues whose seller the check relied on. */
export interface CheckedItem {
  values: ItemValues
  reliedOn: CatalogueFound[]
}

/**
 * Checks items and answers them as columns, in the same order. What is wrong becomes a fault; the columns of a faulty item are
 * of no use.
 * @param sellerId the seller that the items must stay with, when they are there already.
 */
export async function checkItems(
  ports: Ports,
  actor: Actor,
  faults: FieldErrors,
  placed: readonly PlacedItem[],
  sellerId?: string
): Promise<CheckedItem[]> {
  const catalogues = await findCatalogues(
    ports,
    actor,
    placed.map(({ input }) => input.catalogue)
  )
  const related = await findItems(
    ports,
    placed.flatMap(({ input }) => input.relatedTo ?? [])
  )
  const texts = await searchTexts(placed.map(({ input }) => searched(input)))
  return placed.map(({ input, pointer }, at) => {
    const catalogue = catalogues.get(input.catalogue)
    const relatedTo = input.relatedTo ?? undefined
    const device = relatedTo === undefined ? undefined : related.get(relatedTo)
    checkCatalogue(faults, pointer, catalogue, sellerId)
    if (relatedTo !== undefined) checkDevice(faults, `${pointer}/relatedTo`, device, catalogue)
    const values = {
      catalogueId: catalogue?.id ?? '',
      relatedToId: device?.id ?? null,
      ...codesOf(ports, faults, input, pointer),
      ...membersOf(input),
      searchText: texts[at] ?? ''
    }
    const elsewhere = device && { id: device.catalogueId, sellerId: device.sellerId }
    return { values, reliedOn: [catalogue, elsewhere].filter((each) => each !== undefined) }
  })
}

function checkCatalogue(
  faults: FieldErrors,
  pointer: string,
  catalogue: CatalogueFound | undefined,
  sellerId: string | undefined
) {
  const at = `${pointer}/catalogue`
  if (!catalogue) faults.dangling(at, 'It must be the URL of a catalogue that you may change.')
  else if (sellerId !== undefined && catalogue.sellerId !== sellerId)
    faults.add(catalogueProblem, 'fixed-seller', at, 'It must be a catalogue of the same seller.')
}

/** An item of another seller is no different from none: a provider must not learn of it. */
function checkDevice(
  faults: FieldErrors,
  at: string,
  device: ItemFound | undefined,
  catalogue: CatalogueFound | undefined
) {
  if (!device || device.sellerId !== catalogue?.sellerId)
    faults.dangling(at, 'It must be the URL of a device model of the same seller.')
  else if (device.type !== 'DeviceModel')
    faults.add(catalogueProblem, 'unrelated-item', at, 'It must be a device model, not a service.')
}

function codesOf(
  { terminology }: Ports,
  faults: FieldErrors,
  { status, serviceType = null }: ItemInput,
  pointer: string
) {
  return {
    status: resolveCode(
      terminology,
      faults,
      'catalogue-item-status',
      status ?? 'AVAILABLE',
      `${pointer}/status`
    ),
    serviceType:
      serviceType === null
        ? null
        : resolveCode(terminology, faults, 'service-type', serviceType, `${pointer}/serviceType`)
  }
}

function membersOf(input: ItemInput) {
  const { name, manufacturer = null, model = null, version = null } = input
  return {
    type: input.catalogueItemType,
    identifiers: identifiersOf(input.identifiers),
    name,
    description: input.description ?? null,
    manufacturer,
    model,
    version
  }
}

const searched = ({ name, model, manufacturer, identifiers }: ItemInput) => [
  ...[name, model, manufacturer],
  ...(identifiers ?? []).map(({ value }) => value)
]

/** An identifier that another item of the catalogue has, there or in the same request, becomes a fault. */
export async function checkIdentifiers(
  { db }: Ports,
  faults: FieldErrors,
  items: readonly { values: ItemValues; pointer: string }[],
  except?: string
): Promise<void> {
  const named = items.flatMap(({ values: { catalogueId, identifiers }, pointer }) =>
    identifiers.map((each, at) => ({
      catalogueId,
      digest: digestOf(each),
      pointer: `${pointer}/identifiers/${at}`
    }))
  )
  const taken = new Set((await takenIdentifiers(db, named, except)).map(keyOf))
  for (const each of named) {
    const key = keyOf(each)
    if (taken.has(key))
      faults.add(
        catalogueProblem,
        'duplicate-identifier',
        each.pointer,
        'It must be unique within the catalogue.'
      )
    taken.add(key)
  }
}

const keyOf = ({ catalogueId, digest }: NamedInCatalogue) => `${catalogueId} ${digest}`
