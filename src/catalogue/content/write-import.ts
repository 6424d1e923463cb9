import type { UnitOfWork } from '../../db/unit-of-work.js'
import { saveAnnotations } from '../annotation/annotation.store.js'
import { insertCatalogue, updateCatalogue } from '../catalogues/catalogue.store.js'
import { formerRows, isAnyChanged, keepCreated, recordEntry } from '../history/history.store.js'
import type { ChangeCounts, ImportedIds } from '../history/tables.js'
import { saveNewItems, updateItems } from '../item/item.store.js'
import type { CatalogueRow } from '../tables.js'
import { saveWhiteListEntries } from '../white-list/white-list.store.js'
import type { BuyerRows } from './merge-buyer-rows.js'
import type { Plan, PlannedItem } from './plan-items.js'

/** What a client calls the import: its id, and the name of the file, if there is one. */
export interface ImportSource {
  id: string
  fileName: string | null
}

/** Everything that an import writes. */
export interface ImportWrite {
  source: ImportSource
  before: CatalogueRow | undefined
  after: CatalogueRow
  counts: ChangeCounts
  plan: Plan
  added: BuyerRows
}

/**
 * Writes an import and its entry in the history, with what an undo needs. Without a change it
 * writes nothing.
 */
export async function writeImport(work: UnitOfWork, write: ImportWrite): Promise<void> {
  const { source, before, after, counts, plan } = write
  if (!isAnyChanged(counts)) return
  const { tx } = work
  const { id: catalogueId, sellerId } = after
  if (!before) await insertCatalogue(work, after)
  const entry = { ...source, catalogueId, sellerId, undoes: null, counts }
  await recordEntry(work, entry, formerRows(catalogueId, idsOf(plan.changed.map(rowOf))))
  if (before && counts.catalogue === 'changed') await updateCatalogue(work, after, before.status)
  await keepCreated(tx, entry, await writeRows(work, write))
}

async function writeRows(
  work: UnitOfWork,
  { plan: { created, changed }, added: { annotations, whiteList } }: ImportWrite
): Promise<ImportedIds> {
  // First, because changed services may relate to created devices.
  await saveNewItems(work, created.map(rowOf))
  const statuses = new Map(changed.map(({ row, before }) => [row.id, before?.status ?? '']))
  await updateItems(work, changed.map(rowOf), statuses)
  return {
    items: idsOf(created.map(rowOf)),
    annotations: idsOf(await saveAnnotations(work, annotations.map(valuesOf))),
    whiteList: idsOf(await saveWhiteListEntries(work, whiteList.map(valuesOf)))
  }
}

const rowOf = ({ row }: PlannedItem) => row

const valuesOf = <V>({ values }: { values: V }) => values

const idsOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => id)
