import type { UnitOfWork } from '../../db/unit-of-work.js'
import { searchTexts } from '../../platform/text/search-text.js'
import { saveAnnotations } from '../annotation/annotation.store.js'
import { insertCatalogue, updateCatalogue } from '../catalogues/catalogue.store.js'
import { formerRows, recordEntry, storeCreatedIds } from '../history/history.store.js'
import type { ChangeCounts, ImportedIds } from '../history/tables.js'
import { saveNewItems, updateItems } from '../item/item.store.js'
import type { CatalogueRow, ItemRow } from '../tables.js'
import { saveWhiteListEntries } from '../white-list/white-list.store.js'
import type { StoredItem } from './content.queries.js'
import type { BuyerRows } from './merge-buyer-rows.js'
import type { Plan, PlannedItem } from './plan-items.js'

/** Maximum number of buyers' rows that one statement writes. */
const BATCH_ROWS = 1000

/** The names of the import for a client: its id, and the name of the file, if there is one. */
export interface ImportSource {
  id: string
  fileName: string | null
}

export interface ImportWrite {
  source: ImportSource
  before: CatalogueRow | undefined
  after: CatalogueRow
  counts: ChangeCounts
  plan: Plan
  added: BuyerRows
}

/** Writes an import that changes something, and its entry in the history for an undo. */
export async function writeImport(work: UnitOfWork, write: ImportWrite): Promise<void> {
  const { source, before, after, counts, plan } = write
  const { tx } = work
  const { id: catalogueId, sellerId } = after
  if (!before) await insertCatalogue(work, after)
  const entry = { ...source, catalogueId, sellerId, undoes: null, counts }
  await recordEntry(work, entry, formerRows(catalogueId, idsOf(plan.changed.map(rowOf))))
  if (before && counts.catalogue === 'changed') await updateCatalogue(work, after, before.status)
  await storeCreatedIds(tx, entry, await writeRows(work, write))
}

async function writeRows(
  work: UnitOfWork,
  { plan: { created, changed }, added: { annotations, whiteList } }: ImportWrite
): Promise<ImportedIds> {
  // First, because changed services may relate to created devices.
  await saveNewItems(work, await withSearchTexts(created.map(rowOf)))
  const statuses = new Map(changed.map(({ row, before }) => [row.id, before?.status ?? '']))
  await updateItems(work, await withSearchTexts(changed.map(rowOf)), statuses)
  return {
    items: idsOf(created.map(rowOf)),
    annotations: await saveBatches(annotations, (values) => saveAnnotations(work, values)),
    whiteList: await saveBatches(whiteList, (values) => saveWhiteListEntries(work, values))
  }
}

/**
 * Saves the rows of buyers. A sheet may have 50,000 rows, and a large statement blocks the event
 * loop.
 */
async function saveBatches<V>(
  rows: readonly { values: V }[],
  save: (values: V[]) => Promise<{ id: string }[]>
): Promise<string[]> {
  const ids: string[] = []
  for (let at = 0; at < rows.length; at += BATCH_ROWS)
    ids.push(...idsOf(await save(rows.slice(at, at + BATCH_ROWS).map(({ values }) => values))))
  return ids
}

/** A search text takes long to make, so it is made only for rows that are written. */
async function withSearchTexts(rows: readonly StoredItem[]): Promise<ItemRow[]> {
  const texts = await searchTexts(
    rows.map(({ name, model, manufacturer, identifiers }) => [
      name,
      model,
      manufacturer,
      ...identifiers.map(({ value }) => value)
    ])
  )
  return rows.map((row, at) => ({ ...row, searchText: texts[at] ?? '' }))
}

const rowOf = ({ row }: PlannedItem) => row

const idsOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => id)
