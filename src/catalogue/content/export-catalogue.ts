import { partyLabels } from '../../agreement/party-names.js'
import { partyResource } from '../../agreement/resources.js'
import { unitOfWork } from '../../db/unit-of-work.js'
import type { Call } from '../../platform/auth/call.js'
import { mapYielding } from '../../platform/concurrency/map-yielding.js'
import { problem } from '../../platform/errors/problem.js'
import type { Coding } from '../../platform/schemas/schemas.js'
import { withoutControlCharacters } from '../../platform/text/without-control-characters.js'
import { isId } from '../../platform/urls/resource-urls.js'
import type { Ports } from '../../ports.js'
import type { BuyerPart } from '../catalogue.access.js'
import { itemResource } from '../resources.js'
import { findCatalogue } from '../visibility.js'
import type {
  CatalogueContent,
  ContentAnnotation,
  ContentItem,
  ItemReference,
  OmittedColumns
} from './catalogue-content.js'
import { loadAnnotations, loadItems, loadWhiteList, type StoredItem } from './content.queries.js'
import { indexItems, itemFinder } from './item-finder.js'

/** The content of a catalogue as it is exported: annotation values with their display texts. */
export interface ExportedContent {
  catalogue: Omit<CatalogueContent['catalogue'], keyof OmittedColumns>
  items: Omit<ContentItem, keyof OmittedColumns>[]
  annotations: (Omit<ContentAnnotation, 'value'> & { value: Coding })[]
  whiteList: { item: ItemReference; buyer: string }[]
}

/**
 * Exports a catalogue that is visible to the caller. Importing the result changes nothing.
 * @param parts the parts of administered buyers to include.
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
  const buyers =
    parts.size > 0 ? await partyLabels(ports, call, 'BUYER', 'administered') : new Map<string, string>()
  const { rows, annotations, whiteList } = await loadRows(ports, call, id, parts)
  const names = await itemNames(ports, rows)
  const nameOf = (itemId: string) => names.get(itemId) ?? urlAsName(ports, itemId)
  const labelIn = (labels: ReadonlyMap<string, string>, partyId: string) =>
    labels.get(partyId) ?? resourceUrls.url(partyResource, partyId)
  // Rows of items that the export leaves out are left out.
  const isListed = ({ itemId }: { itemId: string }) => names.has(itemId)
  return {
    catalogue: {
      identifiers: catalogue.identifiers,
      seller: labelIn(sellers, catalogue.sellerId),
      name: catalogue.name,
      status: catalogue.status
    },
    items: await mapYielding(rows, ({ relatedToId, ...row }) => ({
      ...row,
      relatedTo: relatedToId === null ? null : nameOf(relatedToId)
    })),
    annotations: annotations.filter(isListed).map(({ itemId, buyerId, name, system, code, display }) => ({
      item: nameOf(itemId),
      buyer: labelIn(buyers, buyerId),
      name,
      value: { system: terminology.publicSystem(system), code, display }
    })),
    whiteList: whiteList
      .filter(isListed)
      .map(({ itemId, buyerId }) => ({ item: nameOf(itemId), buyer: labelIn(buyers, buyerId) }))
  }
}

/** Loads the rows in one snapshot, because an import may be committed meanwhile. */
const loadRows = (ports: Ports, call: Call, id: string, parts: ReadonlySet<BuyerPart>) =>
  unitOfWork(
    ports,
    null,
    async ({ tx }) => ({
      rows: await loadItems(tx, id),
      annotations: parts.has('annotations') ? await loadAnnotations(tx, id, call) : [],
      whiteList: parts.has('whiteList') ? await loadWhiteList(tx, id, call) : []
    }),
    { isSnapshot: true }
  )

/**
 * The names of items in an export: the first identifier if it is unique in the catalogue, otherwise
 * the URL.
 */
async function itemNames(ports: Ports, rows: readonly StoredItem[]): Promise<Map<string, ItemReference>> {
  const find = itemFinder(() => undefined, await indexItems(rows))
  return new Map(
    await mapYielding(rows, (row): [string, ItemReference] => {
      const { system, value } = row.identifiers[0] ?? { system: '', value: '' }
      const isClear = [system, value].every((text) => withoutControlCharacters(text) !== '')
      const isUnique = isClear && find({ system, value }) === row
      return [row.id, isUnique ? { system, value } : urlAsName(ports, row.id)]
    })
  )
}

const urlAsName = ({ resourceUrls }: Ports, itemId: string): ItemReference => ({
  system: null,
  value: resourceUrls.url(itemResource, itemId)
})
