import type { Transaction } from '../../db/driver/database.js'
import { newId, type UnitOfWork } from '../../db/unit-of-work.js'
import { searchText } from '../../platform/util/search-text.js'
import type { Ports } from '../../ports.js'
import { deleteAnnotations } from '../annotation/annotation.store.js'
import { lockCatalogue, updateItems } from '../bulk/bulk.store.js'
import { relatesToOtherCatalogues, updateCatalogue } from '../catalogue/catalogue.store.js'
import { identifierRows, takenIdentifiers } from '../item/item.store.js'
import type { CatalogueRow, ItemRow } from '../tables.js'
import { deleteWhiteListEntries } from '../white-list/white-list.store.js'
import { recordEntry } from './history.store.js'
import { type FormerItem, loadFormerCatalogue, loadFormerItems, type WrittenIds } from './kept-rows.store.js'
import { refuseUndo } from './obstacles.js'
import type { ChangeCounts, HistoryRow } from './tables.js'
import { deleteIdentifiers, loadPresentItems } from './undo.store.js'

/** An import to take back, and the catalogue as it is. Everything is locked. */
export interface Undone {
  entry: HistoryRow
  catalogue: CatalogueRow
  written: WrittenIds
}

/** Items per statement. */
const BATCH_ROWS = 1000

/**
 * Brings a catalogue to its state before an import, and records that in its history. Returns the id
 * of the new entry.
 * @throws Problem `import-not-undoable` when the former content no longer fits.
 */
export async function restoreCatalogue(
  ports: Ports,
  work: UnitOfWork,
  { entry, catalogue, written }: Undone
): Promise<string> {
  await inBatches(written.createdItems, (ids) => withdrawItems(work, ids))
  await inBatches(written.changedItems, (ids) => restoreItems(work, entry.id, ids))
  await deleteAnnotations(work, written.annotations)
  await deleteWhiteListEntries(work, written.whiteList)
  const after = await restoreCatalogueRow(ports, work, entry, catalogue)
  const id = newId()
  const counts: ChangeCounts = {
    catalogue: after === catalogue ? 'unchanged' : 'changed',
    items: { created: 0, changed: written.changedItems.length, withdrawn: written.createdItems.length },
    annotations: { created: 0, deleted: written.annotations.length },
    whiteList: { created: 0, deleted: written.whiteList.length }
  }
  await recordEntry(work, {
    id,
    catalogueId: catalogue.id,
    sellerId: after.sellerId,
    undoes: entry.id,
    fileName: null,
    counts
  })
  return id
}

async function inBatches(
  ids: readonly string[],
  run: (batch: readonly string[]) => Promise<void>
): Promise<void> {
  for (let at = 0; at < ids.length; at += BATCH_ROWS) await run(ids.slice(at, at + BATCH_ROWS))
}

/**
 * Makes items unavailable that an import created. They give up their identifiers, so that a
 * corrected workbook can use them again, also for items of another type.
 */
async function withdrawItems(work: UnitOfWork, ids: readonly string[]): Promise<void> {
  const present = await loadPresentItems(work.tx, ids)
  const rows = present.map(
    (row): ItemRow => ({
      ...row,
      status: 'UNAVAILABLE',
      identifiers: [],
      searchText: searchText(row.name, row.model, row.manufacturer),
      withdrawnAt: work.at
    })
  )
  await updateItems(work, rows, new Map(present.map(({ id, status }) => [id, status])))
}

async function restoreItems(work: UnitOfWork, importId: string, ids: readonly string[]): Promise<void> {
  const former = await loadFormerItems(work.tx, importId, ids)
  await deleteIdentifiers(work.tx, ids)
  await assertIdentifiersFree(work.tx, former)
  await updateItems(
    work,
    former.map(({ row }) => row),
    new Map(former.map(({ row, status }) => [row.id, status]))
  )
}

async function assertIdentifiersFree(tx: Transaction, former: readonly FormerItem[]): Promise<void> {
  const wanted = former.flatMap(({ row }) => identifierRows(row))
  if ((await takenIdentifiers(tx, wanted)).length > 0) refuseUndo('identifier-taken')
}

/**
 * Returns the catalogue as it is then. One that the import created stays, INACTIVE: its URL may be
 * in use, and a corrected workbook can update it.
 */
async function restoreCatalogueRow(
  ports: Ports,
  work: UnitOfWork,
  { id, counts }: HistoryRow,
  present: CatalogueRow
): Promise<CatalogueRow> {
  const before =
    counts.catalogue === 'created'
      ? { ...present, status: 'INACTIVE' }
      : await loadFormerCatalogue(work.tx, id)
  if (!before || (counts.catalogue === 'created' && present.status === before.status)) return present
  const { identifiers, sellerId, name, status } = before
  await updateCatalogue(work, { id: present.id, identifiers, sellerId, name, status }, present.status)
  if (sellerId !== present.sellerId) await assertSellerFits(ports, work, present.id)
  return before
}

/** The catalogue may return to its former seller only as a change of the seller is allowed. */
async function assertSellerFits(
  ports: Pick<Ports, 'db' | 'today'>,
  work: UnitOfWork,
  id: string
): Promise<void> {
  const isChangeable = (await lockCatalogue(work, ports, id)) !== undefined
  if (!isChangeable || (await relatesToOtherCatalogues(work.tx, id))) refuseUndo('seller')
}
