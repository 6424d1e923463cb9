import type { UnitOfWork } from '../../db/unit-of-work.js'
import { saveAnnotations } from '../annotation/annotation.store.js'
import { insertCatalogue, updateCatalogue } from '../catalogues/catalogue.store.js'
import { isAnyChanged, keepCreated, keepFormerRows, recordEntry } from '../history/history.store.js'
import type { ChangeCounts, ImportedIds } from '../history/tables.js'
import { saveNewItems } from '../item/item.store.js'
import type { CatalogueRow } from '../tables.js'
import { saveWhiteListEntries } from '../white-list/white-list.store.js'
import { updateItems } from './bulk.store.js'
import type { BuyerRows } from './merge-buyer-rows.js'
import type { Plan } from './plan-items.js'

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

/** Rows per statement. */
const BATCH_ROWS = 1000

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
  await recordEntry(work, entry)
  await keepFormerRows(tx, entry, idsOf(plan.changed))
  if (before && counts.catalogue === 'changed') await updateCatalogue(work, after, before.status)
  await keepCreated(tx, entry, await writeRows(work, write))
}

async function writeRows(
  work: UnitOfWork,
  { plan: { created, changed, rowOf }, added: { annotations, whiteList } }: ImportWrite
): Promise<ImportedIds> {
  // First, because changed services may relate to created devices.
  await inBatches(created, (batch) => saveNewItems(work, batch.map(rowOf)))
  await inBatches(changed, (batch) => updateItems(work, batch.map(rowOf), statusesOf(batch)))
  const made: ImportedIds = { items: idsOf(created), annotations: [], whiteList: [] }
  await inBatches(annotations, async (batch) => {
    made.annotations.push(...rowIdsOf(await saveAnnotations(work, batch.map(valuesOf))))
  })
  await inBatches(whiteList, async (batch) => {
    made.whiteList.push(...rowIdsOf(await saveWhiteListEntries(work, batch.map(valuesOf))))
  })
  return made
}

async function inBatches<T>(rows: readonly T[], save: (batch: readonly T[]) => Promise<void>): Promise<void> {
  for (let at = 0; at < rows.length; at += BATCH_ROWS) await save(rows.slice(at, at + BATCH_ROWS))
}

const valuesOf = <V>({ values }: { values: V }) => values

const rowIdsOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => id)

const idsOf = (planned: Readonly<Plan['changed']>) => planned.map(({ matched: { id } }) => id)

/** The former statuses of items, by their ids. */
const statusesOf = (planned: Readonly<Plan['changed']>) =>
  new Map(planned.map(({ matched: { id, before } }) => [id, before?.status ?? '']))
