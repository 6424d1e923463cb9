import { setTimeout as pause } from 'node:timers/promises'
import { withCopiesLocked } from '../../db/copied-tables.js'
import type { Transaction } from '../../db/driver/database.js'
import type { UnitOfWork } from '../../db/unit-of-work.js'
import type { Actor } from '../../platform/auth/actor.js'
import { Problem, problem } from '../../platform/errors/problem.js'
import { isId, type ResourceType } from '../../platform/rest/resource-urls.js'
import type { Ports } from '../../ports.js'
import { lockCatalogue } from '../bulk/bulk.store.js'
import { importableParts } from '../bulk/buyer-parts.js'
import { catalogueResource, itemResource } from '../resources.js'
import { annotations, catalogueItems, whiteListEntries } from '../tables.js'
import { importNotFound } from './import-history.js'
import { loadFormerCatalogue, loadWritten, type WrittenIds } from './kept-rows.store.js'
import { contended, Obstacles, refuseUndo } from './obstacles.js'
import { restoreCatalogue } from './restore.js'
import type { HistoryRow } from './tables.js'
import {
  areAnnotationsUnchanged,
  areEntriesListed,
  areForeign,
  findEntry,
  itemsChangedSince,
  latestAfter,
  lockRows,
  otherItems,
  servicesRelatedTo
} from './undo.store.js'

/** The items of an import of which an order may be. */
export interface ImportedItems {
  created: readonly string[]
  changed: readonly string[]
  /** When the import was written, by the clock of the database. */
  since: Date
}

/** Finds the ids of items that were ordered since the import. The items are locked. */
export type FindOrdered = (tx: Transaction, items: ImportedItems) => Promise<string[]>

/** Attempts to lock the rows of an import while other requests hold some of them. */
const MAX_ATTEMPTS = 20
const MAX_PAUSE_MS = 100

/**
 * Takes back the last import of a catalogue, all or nothing: created items become unavailable,
 * everything else is as it was. Returns the id of the undo in the history.
 * @param findOrdered knows the orders, which this module does not.
 * @throws Problem `not-found`, `forbidden`, `import-not-undoable`, `busy`.
 */
export async function undoImport(
  ports: Ports,
  actor: Actor,
  id: string,
  findOrdered: FindOrdered
): Promise<string> {
  if (!isId(id)) throw importNotFound()
  for (let attempt = 1; ; attempt++)
    try {
      return await withCopiesLocked(ports, actor, (work) => undo(ports, work, id, findOrdered))
    } catch (error) {
      const isContended = error instanceof Problem && error.code === 'busy'
      if (!isContended || attempt === MAX_ATTEMPTS) throw error
      await pause(Math.random() * MAX_PAUSE_MS)
    }
}

async function undo(ports: Ports, work: UnitOfWork, id: string, findOrdered: FindOrdered): Promise<string> {
  const { tx } = work
  const entry = await findEntry(work, ports, id)
  const catalogue = entry && (await lockCatalogue(work, ports, entry.catalogueId))
  if (!catalogue) throw importNotFound()
  // An order in flight relies on being refused when an item of it changed (see order/store).
  if (ports.isDistributed) refuseUndo('distributed')
  await assertLast(tx, entry)
  const written = (await loadWritten(tx, id)) ?? refuseUndo('too-old')
  await assertOwnParts(work, written)
  await lockItems(tx, written)
  const obstacles = new Obstacles()
  const urlsOf = (type: ResourceType, ids: readonly string[]) =>
    ids.map((each) => ports.resourceUrls.url(type, each))
  const { createdItems, changedItems } = written
  if (await isCatalogueChangedSince(tx, entry, catalogue.eventCount))
    obstacles.add('changed', urlsOf(catalogueResource, [catalogue.id]))
  obstacles.add('changed', urlsOf(itemResource, await itemsChangedSince(tx, id, written)))
  if (!(await holdParts(tx, written))) obstacles.add('changed')
  if (entry.counts.catalogue === 'created')
    obstacles.add('added', urlsOf(itemResource, await otherItems(tx, catalogue.id, written)))
  obstacles.add('related', urlsOf(itemResource, await servicesRelatedTo(tx, written)))
  const since = entry.recordedAt
  const ordered = await findOrdered(tx, { created: createdItems, changed: changedItems, since })
  obstacles.add('ordered', urlsOf(itemResource, ordered))
  obstacles.check()
  return restoreCatalogue(ports, work, { entry, catalogue, written })
}

async function assertLast(tx: Transaction, entry: HistoryRow): Promise<void> {
  if (entry.undoes !== null) refuseUndo('is-undo')
  const later = await latestAfter(tx, entry)
  if (later) refuseUndo(later.undoes === entry.id ? 'already-undone' : 'later-import')
}

/** Annotations and white lists are undone by those who may import them, for the same buyers. */
async function assertOwnParts(work: UnitOfWork, written: WrittenIds): Promise<void> {
  const parts = importableParts(work.actor)
  const isMissing =
    (written.annotations.length > 0 && !parts.has('annotations')) ||
    (written.whiteList.length > 0 && !parts.has('whiteList'))
  if (isMissing || (await areForeign(work, written)))
    throw problem('forbidden', 'Only those who may import all of this import can undo it.')
}

/**
 * Locks the items of the import. An order that has one of them can then not be saved: it is decided
 * again when the lock is gone.
 * @throws Problem `busy` when another transaction holds one of them.
 */
async function lockItems(tx: Transaction, { createdItems, changedItems }: WrittenIds): Promise<void> {
  const ids = [...createdItems, ...changedItems]
  if ((await lockRows(tx, catalogueItems, ids)) < ids.length) throw contended()
}

/**
 * Locks the annotations and white list entries of the import. Returns false when one changed.
 * @throws Problem `busy` when another transaction holds one of them.
 */
async function holdParts(tx: Transaction, { annotations: ids, whiteList }: WrittenIds): Promise<boolean> {
  const held = (await lockRows(tx, annotations, ids)) + (await lockRows(tx, whiteListEntries, whiteList))
  if (!(await areAnnotationsUnchanged(tx, ids)) || !(await areEntriesListed(tx, whiteList))) return false
  if (held < ids.length + whiteList.length) throw contended()
  return true
}

/** Whether the catalogue itself changed since the import. */
async function isCatalogueChangedSince(
  tx: Transaction,
  { id, counts }: HistoryRow,
  eventCount: number
): Promise<boolean> {
  if (counts.catalogue === 'created') return eventCount !== 1
  if (counts.catalogue === 'unchanged') return false
  const former = await loadFormerCatalogue(tx, id)
  return former === undefined || eventCount !== former.eventCount + 1
}
