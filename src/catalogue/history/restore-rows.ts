import { isDeepStrictEqual } from 'node:util'
import { inIds } from '../../db/sql/conditions.js'
import type { UnitOfWork } from '../../db/unit-of-work.js'
import { writtenColumns } from '../../db/written-columns.js'
import { searchText } from '../../platform/text/search-text.js'
import { relatesToOtherCatalogues, updateCatalogue } from '../catalogues/catalogue.store.js'
import { updateItems } from '../item/item.store.js'
import { catalogueProblem } from '../problems.js'
import { type CatalogueRow, catalogueItems, type ItemRow } from '../tables.js'
import { lockCatalogue } from '../visibility.js'
import type { FormerRows, HistoryRow } from './tables.js'

export const catalogueChanged = () => catalogueProblem('catalogue-changed')

/**
 * Restores changed items. Created items become unavailable and lose their identifiers, so that a
 * corrected workbook can reuse these, also for items of another type.
 */
export async function restoreItems(
  work: UnitOfWork,
  former: FormerRows['items'],
  created: readonly string[]
): Promise<void> {
  const ids = [...former.map(({ id }) => id), ...created]
  const present = await work.tx
    .select(writtenColumns(catalogueItems))
    .from(catalogueItems)
    .where(inIds(catalogueItems.id, ids))
    .orderBy(catalogueItems.id)
  const formerById = new Map(former.map((row) => [row.id, row]))
  const rows = present.map((row): ItemRow => {
    const before = formerById.get(row.id)
    return before ? restored(row, before) : withdrawn(row, work.at)
  })
  await updateItems(work, rows, new Map(present.map(({ id, status }) => [id, status])))
}

const restored = (row: ItemRow, former: FormerRows['items'][number]): ItemRow => ({
  ...row,
  ...former,
  eventCount: row.eventCount,
  createdAt: row.createdAt,
  withdrawnAt: former.withdrawnAt ? new Date(former.withdrawnAt) : null
})

const withdrawn = (row: ItemRow, at: Date): ItemRow => ({
  ...row,
  status: 'UNAVAILABLE',
  identifiers: [],
  searchText: searchText(row.name, row.model, row.manufacturer),
  withdrawnAt: at
})

/**
 * Returns the restored catalogue. A catalogue that the import created becomes INACTIVE, because its
 * URL may be in use and a corrected workbook can update it.
 * @throws Problem `forbidden` when the caller may not change catalogues of the former seller;
 *   `catalogue-changed` when items relate to other catalogues of the present seller.
 */
export async function restoreCatalogue(
  work: UnitOfWork,
  { counts }: Pick<HistoryRow, 'counts'>,
  present: CatalogueRow,
  former: FormerRows['catalogue']
): Promise<CatalogueRow> {
  const { createdAt, eventCount } = present
  const before = counts.catalogue === 'created' ? { status: 'INACTIVE' } : former
  const after = { ...present, ...before, createdAt, eventCount }
  if (isDeepStrictEqual(after, present)) return present
  const { createdAt: _createdAt, eventCount: _eventCount, ...values } = after
  await updateCatalogue(work, values, present.status)
  if (after.sellerId === present.sellerId) return after
  if (!(await lockCatalogue(work, present.id))) throw catalogueProblem('forbidden.formerSeller')
  if (await relatesToOtherCatalogues(work.tx, present.id)) throw catalogueChanged()
  return after
}
