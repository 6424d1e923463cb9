import type { Call } from '../../platform/auth/call.js'
import type { FieldErrors } from '../../platform/errors/field-errors.js'
import type { CreateEntry } from '../../platform/rest/bulk-route.js'
import { identifiersOf } from '../../platform/text/numbers.js'
import { searchTexts } from '../../platform/text/search-text.js'
import { formUnlessIn } from '../../platform/urls/resource-urls.js'
import type { Ports } from '../../ports.js'
import { resolveCode } from '../../terminology/known-code.js'
import { type FoundItem, findItemsByUrl } from '../lookup.js'
import { catalogueProblem } from '../problems.js'
import { catalogueResource, itemResource } from '../resources.js'
import type { ItemRow } from '../tables.js'
import { type FoundCatalogue, findChangeableCatalogues } from '../visibility.js'
import { itemColumns } from './item.fields.js'
import type { ItemInput } from './item.schemas.js'

export type ItemValues = Omit<ItemRow, 'id' | 'createdAt' | 'eventCount' | 'withdrawnAt'>

/** A validated item, and the catalogues whose seller the validation relied on. */
export interface CheckedItem {
  values: ItemValues
  reliedOn: FoundCatalogue[]
}

/**
 * Validates items and returns them as columns, in the same order. Adds field errors for invalid
 * items, whose columns must not be used.
 * @param sellerId the required seller, for items that exist already.
 */
export async function checkItems(
  ports: Ports,
  call: Call,
  errors: FieldErrors,
  items: readonly CreateEntry<ItemInput>[],
  sellerId?: string
): Promise<CheckedItem[]> {
  const catalogues = await findChangeableCatalogues(
    ports,
    call,
    items.map(({ input }) => input.catalogue)
  )
  const related = await findItemsByUrl(
    ports,
    items.flatMap(({ input }) => input.relatedTo ?? [])
  )
  const texts = await searchTexts(items.map(({ input }) => searchedTexts(input)))
  return items.map((entry, at) => {
    const { input, pointer } = entry
    const catalogue = catalogues.get(input.catalogue)
    const relatedTo = input.relatedTo ?? undefined
    const device = relatedTo === undefined ? undefined : related.get(relatedTo)
    checkCatalogue(ports, errors, entry, catalogue, sellerId)
    if (relatedTo !== undefined) checkDevice(ports, errors, entry, device, catalogue)
    const values = {
      catalogueId: catalogue?.id ?? '',
      relatedToId: device?.id ?? null,
      ...codeColumns(ports, errors, input, pointer),
      ...otherColumns(input),
      searchText: texts[at] ?? ''
    }
    const deviceCatalogue = device && { id: device.catalogueId, sellerId: device.sellerId }
    return { values, reliedOn: [catalogue, deviceCatalogue].filter((each) => each !== undefined) }
  })
}

function checkCatalogue(
  { resourceUrls }: Ports,
  errors: FieldErrors,
  { input, pointer }: CreateEntry<ItemInput>,
  catalogue: FoundCatalogue | undefined,
  sellerId: string | undefined
) {
  const at = `${pointer}/catalogue`
  if (!catalogue) {
    const form = formUnlessIn(resourceUrls, catalogueResource, input.catalogue)
    errors.add(catalogueProblem('dangling-reference.catalogue', at, { form }))
  } else if (sellerId !== undefined && catalogue.sellerId !== sellerId)
    errors.add(catalogueProblem('fixed-seller.ofItem', at))
}

/**
 * Reports an item of another seller like an unknown item: the response must not disclose to a
 * provider that the item exists.
 */
function checkDevice(
  { resourceUrls }: Ports,
  errors: FieldErrors,
  { input, pointer }: CreateEntry<ItemInput>,
  device: FoundItem | undefined,
  catalogue: FoundCatalogue | undefined
) {
  const at = `${pointer}/relatedTo`
  if (!device || device.sellerId !== catalogue?.sellerId) {
    const form = formUnlessIn(resourceUrls, itemResource, input.relatedTo ?? '')
    errors.add(catalogueProblem('dangling-reference.device', at, { form }))
  } else if (device.type !== 'DeviceModel') errors.add(catalogueProblem('unrelated-item.notDevice', at))
}

function codeColumns(
  { terminology }: Ports,
  errors: FieldErrors,
  { status, serviceType = null }: ItemInput,
  pointer: string
) {
  return {
    status: resolveCode(
      terminology,
      errors,
      'catalogue-item-status',
      status ?? 'AVAILABLE',
      `${pointer}/status`
    ),
    serviceType:
      serviceType === null
        ? null
        : resolveCode(terminology, errors, 'service-type', serviceType, `${pointer}/serviceType`)
  }
}

function otherColumns(input: ItemInput) {
  const { name, manufacturer = null, model = null } = input
  return {
    type: input.catalogueItemType,
    identifiers: identifiersOf(input.identifiers),
    name,
    manufacturer,
    model,
    ...itemColumns((_, member) => input[member] ?? null)
  }
}

const searchedTexts = ({ name, model, manufacturer, identifiers }: ItemInput) => [
  ...[name, model, manufacturer],
  ...identifiersOf(identifiers).map(({ value }) => value)
]
