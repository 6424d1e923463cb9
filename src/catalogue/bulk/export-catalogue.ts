import { rolePlayers } from '../../agreement/lookup.js'
import { partyKind } from '../../agreement/resources.js'
import type { Actor } from '../../platform/auth/actor.js'
import { mapYielding } from '../../platform/concurrency/map-yielding.js'
import { problem } from '../../platform/errors/problem.js'
import { isId } from '../../platform/rest/resource-urls.js'
import type { Coding } from '../../platform/schemas/schemas.js'
import { printableText } from '../../platform/util/printable-text.js'
import type { Ports } from '../../ports.js'
import { itemKind } from '../resources.js'
import { annotationsIn, findCatalogue, itemsOf, type StoredItem } from './bulk.store.js'
import type {
  CatalogueContent,
  ContentAnnotation,
  ContentItem,
  ItemName,
  OmittedColumns
} from './catalogue-content.js'
import { itemFinder } from './item-finder.js'

/** The content of a catalogue as it is answered: annotation values with what they are called. */
export interface AnsweredContent {
  catalogue: Omit<CatalogueContent['catalogue'], keyof OmittedColumns>
  items: Omit<ContentItem, keyof OmittedColumns>[]
  annotations: (Omit<ContentAnnotation, 'value'> & { value: Coding })[]
}

/**
 * The content of a catalogue within the caller's reach: what can be imported again and then changes nothing.
 * @param withAnnotations whether it holds those of the caller's own buyers.
 * @throws Problem `not-found`.
 */
export async function exportCatalogue(
  ports: Ports,
  actor: Actor,
  id: string,
  withAnnotations: boolean
): Promise<AnsweredContent> {
  const { db, references } = ports
  const catalogue = isId(id) ? await findCatalogue(ports, actor, id) : undefined
  if (!catalogue) throw problem('not-found', 'There is no such catalogue.')
  const sellers = await rolePlayers(ports, actor, 'SELLER', actor.scope !== 'any')
  const rows = await db.transaction((tx) => itemsOf(tx, id), {
    isolationLevel: 'repeatable read',
    accessMode: 'read only'
  })
  const names = await namesOf(ports, rows)
  return {
    catalogue: {
      identifiers: catalogue.identifiers,
      seller: sellers.get(catalogue.sellerId) ?? references.url(partyKind, catalogue.sellerId),
      name: catalogue.name,
      status: catalogue.status
    },
    items: await mapYielding(rows, ({ relatedToId, ...row }) => ({
      ...row,
      relatedTo:
        relatedToId === null
          ? null
          : (names.get(relatedToId) ?? { system: null, value: references.url(itemKind, relatedToId) })
    })),
    annotations: withAnnotations ? await answeredAnnotations(ports, actor, id, names) : []
  }
}

/** What the items of a catalogue are called in it: by their first identifier where no other has it, or by their URL. */
async function namesOf({ references }: Ports, rows: readonly StoredItem[]): Promise<Map<string, ItemName>> {
  const firsts = rows.flatMap(({ identifiers: [first] }) => first ?? [])
  const find = await itemFinder([rows], firsts, () => undefined)
  return new Map(
    await mapYielding(rows, (row) => {
      const [first] = row.identifiers
      const isClear = first && [first.system, first.value].every((text) => printableText(text) !== '')
      const name = isClear && find(first) === row ? first : undefined
      return [
        row.id,
        name
          ? { system: name.system, value: name.value }
          : { system: null, value: references.url(itemKind, row.id) }
      ]
    })
  )
}

async function answeredAnnotations(
  ports: Ports,
  actor: Actor,
  catalogueId: string,
  names: ReadonlyMap<string, ItemName>
): Promise<AnsweredContent['annotations']> {
  const buyers = await rolePlayers(ports, actor, 'BUYER', true)
  const rows = await annotationsIn(ports.db, catalogueId, actor.organization ?? '')
  return rows.flatMap(({ itemId, buyerId, name, system, code, display }) => {
    const item = names.get(itemId)
    const buyer = buyers.get(buyerId) ?? ports.references.url(partyKind, buyerId)
    return item
      ? [{ item, buyer, name, value: { system: ports.terminology.publicSystem(system), code, display } }]
      : []
  })
}
