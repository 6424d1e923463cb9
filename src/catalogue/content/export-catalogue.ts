import { partyLabels } from '../../agreement/party-names.js'
import { partyResource } from '../../agreement/resources.js'
import { unitOfWork } from '../../db/unit-of-work.js'
import type { Call } from '../../platform/auth/call.js'
import { mapYielding } from '../../platform/concurrency/map-yielding.js'
import { problem } from '../../platform/errors/problem.js'
import type { Coding } from '../../platform/schemas/schemas.js'
import { isId } from '../../platform/util/resource-urls.js'
import { withoutControlCharacters } from '../../platform/util/without-control-characters.js'
import type { Ports } from '../../ports.js'
import { itemResource } from '../resources.js'
import { findCatalogue } from '../visibility.js'
import { loadAnnotations, loadItems, loadWhiteList, type StoredItem } from './bulk.store.js'
import type { BuyerPart } from './buyer-parts.js'
import type {
  CatalogueContent,
  ContentAnnotation,
  ContentItem,
  ItemReference,
  OmittedColumns
} from './catalogue-content.js'
import { findInFirst, itemIndexer } from './item-finder.js'

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
  const { db, resourceUrls, terminology } = ports
  const catalogue = isId(id) ? await findCatalogue(db, call, id) : undefined
  if (!catalogue) throw problem('not-found')
  const sellers = await partyLabels(ports, call, 'SELLER', call.scope === 'any' ? undefined : 'own')
  const rows = await unitOfWork(ports, null, ({ tx }) => loadItems(tx, id), { isSnapshot: true })
  const names = await itemNames(ports, rows)
  const annotations = parts.has('annotations')
    ? await withNames(ports, call, await loadAnnotations(db, id, call), names)
    : []
  const whiteList = parts.has('whiteList')
    ? await withNames(ports, call, await loadWhiteList(db, id, call), names)
    : []
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
    annotations: annotations.map(({ item, buyer, name, system, code, display }) => ({
      item,
      buyer,
      name,
      value: { system: terminology.publicSystem(system), code, display }
    })),
    whiteList: whiteList.map(({ item, buyer }) => ({ item, buyer }))
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
  const index = await itemIndexer(firsts, () => undefined)
  const find = findInFirst(await index(rows))
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

/** Names the items and buyers of rows. Rows of items that the export leaves out are left out. */
async function withNames<R extends { itemId: string; buyerId: string }>(
  ports: Ports,
  call: Call,
  rows: readonly R[],
  names: ReadonlyMap<string, ItemReference>
): Promise<(R & { item: ItemReference; buyer: string })[]> {
  const buyers = await partyLabels(ports, call, 'BUYER', 'administered')
  return rows.flatMap((row) => {
    const item = names.get(row.itemId)
    const buyer = buyers.get(row.buyerId) ?? ports.resourceUrls.url(partyResource, row.buyerId)
    return item ? [{ ...row, item, buyer }] : []
  })
}
