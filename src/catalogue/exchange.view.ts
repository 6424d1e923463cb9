import { partyKind } from '../agreement/kinds.js'
import { rolePlayers } from '../agreement/lookup.js'
import type { Actor } from '../platform/actor.js'
import { normalizeCellText } from '../platform/as-in-sheet.js'
import { mapYielding } from '../platform/in-turns.js'
import { problem } from '../platform/problem.js'
import { isId } from '../platform/reference.js'
import type { Coding } from '../platform/schemas.js'
import type { Ports } from '../ports.js'
import type {
  CatalogueContent,
  ContentAnnotation,
  ContentItem,
  ItemName,
  OmittedColumns
} from './exchange.content.js'
import { itemFinder } from './exchange.find.js'
import { annotationsIn, findCatalogue, itemsOf, type StoredItem } from './exchange.store.js'
import { itemKind } from './kinds.js'

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
      const isClear = first && [first.system, first.value].every((text) => normalizeCellText(text) !== '')
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
      ? [{ item, buyer, name, value: { system: ports.terminology.shown(system), code, display } }]
      : []
  })
}
