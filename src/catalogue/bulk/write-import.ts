import type { UnitOfWork } from '../../db/unit-of-work.js'
import { type AnnotationValues, saveAnnotations } from '../annotation/annotation.store.js'
import { insertCatalogue, updateCatalogue } from '../catalogue/catalogue.store.js'
import { isAnyChanged, recordEntry } from '../history/history.store.js'
import { keepCreated, keepFormerCatalogue, keepFormerItems } from '../history/kept-rows.store.js'
import type { ChangeCounts } from '../history/tables.js'
import { saveNewItems } from '../item/item.store.js'
import type { CatalogueRow } from '../tables.js'
import { saveWhiteListEntries } from '../white-list/white-list.store.js'
import { updateItems } from './bulk.store.js'
import type { NewWhiteListEntry } from './merge-white-list.js'
import type { Plan } from './plan-items.js'

/** What a client calls the import: its id, and the name of the file, if there is one. */
export interface ImportSource {
  id: string
  fileName: string | null
}

export interface ImportProgress {
  phase: 'checking' | 'writing'
  rowsDone: number
  rows: number
}

/** Everything that an import writes. */
export interface ImportWrite {
  source: ImportSource
  before: CatalogueRow | undefined
  after: CatalogueRow
  counts: ChangeCounts
  plan: Plan
  annotations: readonly AnnotationValues[]
  whiteList: readonly NewWhiteListEntry['values'][]
  onProgress: (progress: ImportProgress) => void
}

/** Rows per statement. */
const BATCH_ROWS = 1000

/**
 * Writes an import and its entry in the history, with what an undo needs. Without a change it
 * writes nothing.
 */
export async function writeImport(work: UnitOfWork, write: ImportWrite): Promise<void> {
  const { source, before, after, counts } = write
  if (!isAnyChanged(counts)) return
  if (!before) await insertCatalogue(work, after)
  const { id: catalogueId, sellerId } = after
  await recordEntry(work, { ...source, catalogueId, sellerId, undoes: null, counts })
  if (before && counts.catalogue === 'changed') {
    await keepFormerCatalogue(work.tx, source.id, catalogueId)
    await updateCatalogue(work, after, before.status)
  }
  await writeRows(work, write)
}

async function writeRows(
  work: UnitOfWork,
  { source: { id }, plan: { created, changed, rowOf }, annotations, whiteList, onProgress }: ImportWrite
): Promise<void> {
  const { tx } = work
  const rows = created.length + changed.length + annotations.length + whiteList.length
  let rowsDone = 0
  const write = async <T>(entries: readonly T[], save: (batch: readonly T[]) => Promise<unknown>) => {
    for (let at = 0; at < entries.length; at += BATCH_ROWS) {
      const batch = entries.slice(at, at + BATCH_ROWS)
      await save(batch)
      rowsDone += batch.length
      onProgress({ phase: 'writing', rowsDone, rows })
    }
  }
  // First, because changed services may relate to created devices.
  await write(created, async (batch) => {
    await saveNewItems(work, batch.map(rowOf))
    await keepCreated(tx, id, 'item', idsOf(batch))
  })
  await write(changed, async (batch) => {
    await keepFormerItems(tx, id, idsOf(batch))
    await updateItems(work, batch.map(rowOf), statusesOf(batch))
  })
  await write(annotations, async (batch) => {
    await keepCreated(tx, id, 'annotation', rowIdsOf(await saveAnnotations(work, batch)))
  })
  await write(whiteList, async (batch) => {
    await keepCreated(tx, id, 'whiteList', rowIdsOf(await saveWhiteListEntries(work, batch)))
  })
}

const rowIdsOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => id)

const idsOf = (planned: Readonly<Plan['changed']>) => planned.map(({ matched: { id } }) => id)

/** The former statuses of items, by their ids. */
const statusesOf = (planned: Readonly<Plan['changed']>) =>
  new Map(planned.map(({ matched: { id, before } }) => [id, before?.status ?? '']))
