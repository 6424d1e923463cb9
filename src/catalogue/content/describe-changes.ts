import { changeableSellers } from '../../agreement/lookup.js'
import { partyLabels } from '../../agreement/party-names.js'
import { partyResource } from '../../agreement/resources.js'
import { inIds } from '../../db/sql/conditions.js'
import type { UnitOfWork } from '../../db/unit-of-work.js'
import type { Ports } from '../../ports.js'
import { itemResource } from '../resources.js'
import { type CatalogueRow, catalogueItems } from '../tables.js'
import type { CatalogueContent } from './catalogue-content.js'
import type { ExportedContent } from './export-catalogue.js'
import type { PlannedItem } from './plan-items.js'
import type { ImportWrite } from './write-import.js'

/** A row of the content that an import creates or changes, as an export shows it. */
export type ContentChange =
  | {
      part: 'catalogue'
      before: ExportedContent['catalogue'] | undefined
      after: ExportedContent['catalogue']
    }
  | { part: 'items'; index: number; before: ExportedItem | undefined; after: ExportedItem }
  | { part: 'annotations' | 'whiteList'; index: number }

type ExportedItem = ExportedContent['items'][number]

/** The first changes of an import, and the number of all changes. */
export interface ContentChanges {
  total: number
  rows: ContentChange[]
}

/** Maximum number of changes that are described. */
const MAX_CHANGES = 200

export async function describeChanges(
  ports: Ports,
  work: UnitOfWork,
  content: CatalogueContent,
  { before, after, counts, plan, added: { annotations, whiteList } }: ImportWrite
): Promise<ContentChanges> {
  const isCatalogueChanged = counts.catalogue !== 'unchanged'
  const total =
    Number(isCatalogueChanged) +
    plan.created.length +
    plan.changed.length +
    annotations.length +
    whiteList.length
  const items = [...plan.changed, ...plan.created]
    .sort((one, other) => one.index - other.index)
    .slice(0, MAX_CHANGES)
  const relatedBefore = await relatedItemNames(ports, work, items)
  const rows: ContentChange[] = [
    ...(isCatalogueChanged ? [await catalogueChange(ports, work, content, before, after)] : []),
    ...items.map(({ index, row, before }): ContentChange => {
      const isKept = before?.relatedToId === row.relatedToId
      const relatedTo = isKept ? null : (content.items[index]?.relatedTo ?? null)
      const related = isKept ? null : (relatedBefore.get(before?.relatedToId ?? '') ?? null)
      return {
        part: 'items',
        index,
        before: before && { ...before, relatedTo: related },
        after: { ...row, relatedTo }
      }
    }),
    ...annotations.map(({ index }): ContentChange => ({ part: 'annotations', index })),
    ...whiteList.map(({ index }): ContentChange => ({ part: 'whiteList', index }))
  ]
  return { total, rows: rows.slice(0, MAX_CHANGES) }
}

async function catalogueChange(
  ports: Ports,
  { call }: UnitOfWork,
  { catalogue }: CatalogueContent,
  before: CatalogueRow | undefined,
  { identifiers, name, status, sellerId }: CatalogueRow
): Promise<ContentChange> {
  const isKept = before?.sellerId === sellerId
  const sellers =
    before && !isKept ? await partyLabels(ports, call, 'SELLER', changeableSellers(call)) : new Map()
  const sellerBefore =
    before && (sellers.get(before.sellerId) ?? ports.resourceUrls.url(partyResource, before.sellerId))
  return {
    part: 'catalogue',
    before: before && { ...before, seller: isKept ? catalogue.seller : sellerBefore },
    after: { identifiers, name, status, seller: catalogue.seller }
  }
}

/** The names of the items to which changed items related before, by their ids. */
async function relatedItemNames(
  { resourceUrls }: Ports,
  { tx }: UnitOfWork,
  items: readonly PlannedItem[]
): Promise<Map<string, { system: string | null; value: string }>> {
  const ids = items.flatMap(({ row, before }) =>
    before?.relatedToId && before.relatedToId !== row.relatedToId ? [before.relatedToId] : []
  )
  if (ids.length === 0) return new Map()
  const rows = await tx
    .select({ id: catalogueItems.id, identifiers: catalogueItems.identifiers })
    .from(catalogueItems)
    .where(inIds(catalogueItems.id, ids))
  return new Map(
    rows.map(({ id, identifiers: [first] }) => [
      id,
      first ?? { system: null, value: resourceUrls.url(itemResource, id) }
    ])
  )
}
