import { partyLabels } from '../../agreement/party-names.js'
import { partyResource } from '../../agreement/resources.js'
import type { Call } from '../../platform/auth/call.js'
import { mapYielding } from '../../platform/concurrency/map-yielding.js'
import { problem } from '../../platform/errors/problem.js'
import type { Coding } from '../../platform/schemas/schemas.js'
import { isId } from '../../platform/util/resource-urls.js'
import { withoutControlCharacters } from '../../platform/util/without-control-characters.js'
import type { Ports } from '../../ports.js'
import { itemResource } from '../resources.js'
import { findCatalogue, loadAnnotations, loadItems, loadWhiteList, type StoredItem } from './bulk.store.js'
import type { BuyerPart } from './buyer-parts.js'
import type {
  CatalogueContent,
  ContentAnnotation,
  ContentItem,
  ItemReference,
  OmittedColumns
} from './catalogue-content.js'
import { createItemFinder } from './item-finder.js'

/** The content of a catalogue as it is exported: annotation values with their display texts. */
export interface ExportedContent {
  catalogue: Omit<CatalogueContent['catalogue'], keyof OmittedColumns>
  items: Omit<ContentItem, keyof OmittedColumns>[]
  annotations: (Omit<ContentAnnotation, 'value'> & { value: Coding })[]
  whiteList: { item: ItemReference; buyer: string }[]
}

/**
 * Exports a catalogue that is visible to the caller. Importing the result changes nothing.
 * @param parts what to include of the buyers that the caller's organization administers.
 * @throws Problem `not-found`.
 */
export async function exportCatalogue(
  ports: Ports,
  call: Call,
  id: string,
  parts: ReadonlySet<BuyerPart>
): Promise<ExportedContent> {
  const { db, resourceUrls } = ports
  const catalogue = isId(id) ? await findCatalogue(ports, call, id) : undefined
  if (!catalogue) throw problem('not-found', 'There is no such catalogue.')
  const sellers = await partyLabels(ports, call, 'SELLER', call.scope === 'any' ? undefined : 'own')
  const rows = await db.transaction((tx) => loadItems(tx, id), {
    isolationLevel: 'repeatable read',
    accessMode: 'read only'
  })
  const names = await itemNames(ports, rows)
  return {
    catalogue: {
      identifiers: catalogue.identifiers,
      seller: sellers.get(catalogue.sellerId) ?? resourceUrls.url(partyResource, catalogue.sellerId),
      name: catalogue.name,
      status: catalogue.status
    },
    items: await mapYielding(rows, ({ relatedToId, ...row }) => ({
      ...row,
      relatedTo:
        relatedToId === null
          ? null
          : (names.get(relatedToId) ?? { system: null, value: resourceUrls.url(itemResource, relatedToId) })
    })),
    annotations: parts.has('annotations') ? await exportAnnotations(ports, call, id, names) : [],
    whiteList: parts.has('whiteList') ? await exportWhiteList(ports, call, id, names) : []
  }
}

/**
 * The names of items in an export: the first identifier if it is unique in the catalogue, else the
 * URL.
 */
async function itemNames(
  { resourceUrls }: Ports,
  rows: readonly StoredItem[]
): Promise<Map<string, ItemReference>> {
  const firsts = rows.flatMap(({ identifiers: [first] }) => first ?? [])
  const find = await createItemFinder([rows], firsts, () => undefined)
  return new Map(
    await mapYielding(rows, (row) => {
      const [first] = row.identifiers
      const isClear =
        first && [first.system, first.value].every((text) => withoutControlCharacters(text) !== '')
      const name = isClear && find(first) === row ? first : undefined
      return [
        row.id,
        name
          ? { system: name.system, value: name.value }
          : { system: null, value: resourceUrls.url(itemResource, row.id) }
      ]
    })
  )
}

async function exportWhiteList(
  ports: Ports,
  call: Call,
  catalogueId: string,
  names: ReadonlyMap<string, ItemReference>
): Promise<ExportedContent['whiteList']> {
  const buyers = await partyLabels(ports, call, 'BUYER', 'administered')
  const rows = await loadWhiteList(ports.db, catalogueId, call)
  return rows.flatMap(({ itemId, buyerId }) => {
    const item = names.get(itemId)
    const buyer = buyers.get(buyerId) ?? ports.resourceUrls.url(partyResource, buyerId)
    return item ? [{ item, buyer }] : []
  })
}

async function exportAnnotations(
  ports: Ports,
  call: Call,
  catalogueId: string,
  names: ReadonlyMap<string, ItemReference>
): Promise<ExportedContent['annotations']> {
  const buyers = await partyLabels(ports, call, 'BUYER', 'administered')
  const rows = await loadAnnotations(ports.db, catalogueId, call)
  return rows.flatMap(({ itemId, buyerId, name, system, code, display }) => {
    const item = names.get(itemId)
    const buyer = buyers.get(buyerId) ?? ports.resourceUrls.url(partyResource, buyerId)
    return item
      ? [{ item, buyer, name, value: { system: ports.terminology.publicSystem(system), code, display } }]
      : []
  })
}
