import { and, eq, getTableColumns, sql } from 'drizzle-orm'
import type { Transaction } from '../../db/driver/database.js'
import { inIds } from '../../db/sql/conditions.js'
import { newId, type UnitOfWork, unitOfWork } from '../../db/unit-of-work.js'
import type { Call } from '../../platform/auth/call.js'
import { isId } from '../../platform/urls/resource-urls.js'
import type { Ports } from '../../ports.js'
import { deleteAnnotations } from '../annotation/annotation.store.js'
import { importableParts } from '../catalogue.access.js'
import { catalogueProblem } from '../problems.js'
import { annotations, catalogues, whiteListEntries } from '../tables.js'
import { catalogueVisibleTo, lockCatalogue } from '../visibility.js'
import { deleteWhiteListEntries } from '../white-list/white-list.store.js'
import { eventCountOf, isUndoable, recordEntry } from './history.store.js'
import { importNotFound, isOfOwnOrganization } from './import-history.js'
import { catalogueChanged, restoreCatalogue, restoreItems } from './restore-rows.js'
import { catalogueImports, type HistoryRow, type ImportedIds } from './tables.js'

/**
 * Undoes the last import of a catalogue, all or nothing: created items become unavailable, created
 * annotations and white list entries are deleted, and changed rows get their former content.
 * Returns the id of the undo in the history.
 * @throws Problem `not-found`, `forbidden`, `import-not-undoable`, `catalogue-changed`, `busy`.
 */
export async function undoImport(ports: Ports, call: Call, id: string): Promise<string> {
  if (!isId(id)) throw importNotFound()
  return unitOfWork(ports, call, (work) => undo(work, id))
}

async function undo(work: UnitOfWork, id: string): Promise<string> {
  const { tx, call } = work
  const catalogueId = await findCatalogueId(work, id)
  const catalogue = catalogueId && (await lockCatalogue(work, catalogueId))
  if (!catalogue) throw importNotFound()
  const { former, created, ...entry } = await loadUndoable(tx, id)
  assertOwnParts(call, entry, created)
  await restoreItems(work, former.items, created.items)
  await deleteAnnotations(work, inIds(annotations.id, created.annotations))
  await deleteWhiteListEntries(work, inIds(whiteListEntries.id, created.whiteList))
  const after = await restoreCatalogue(work, entry, catalogue, former.catalogue)
  const undoId = newId()
  await recordEntry(work, {
    id: undoId,
    catalogueId: catalogue.id,
    sellerId: after.sellerId,
    undoes: id,
    fileName: null,
    counts: {
      catalogue: after === catalogue ? 'unchanged' : 'changed',
      items: { created: 0, changed: former.items.length, withdrawn: created.items.length },
      annotations: { created: 0, deleted: created.annotations.length },
      whiteList: { created: 0, deleted: created.whiteList.length }
    }
  })
  return undoId
}

/** Finds the catalogue of an import, if the caller may change it. */
async function findCatalogueId({ tx, call }: UnitOfWork, id: string) {
  const [found] = await tx
    .select({ id: catalogues.id })
    .from(catalogueImports)
    .innerJoin(catalogues, eq(catalogues.id, catalogueImports.catalogueId))
    .where(and(eq(catalogueImports.id, id), catalogueVisibleTo({ db: tx }, call)))
  return found?.id
}

/** Loads an import of a locked catalogue, with the data for its undo. */
async function loadUndoable(tx: Transaction, id: string) {
  const [row] = await tx
    .select({
      ...getTableColumns(catalogueImports),
      isUndoable,
      isUnchanged: sql<boolean>`event_count = ${eventCountOf(sql`catalogue_imports.catalogue_id`)}`
    })
    .from(catalogueImports)
    .where(eq(catalogueImports.id, id))
  if (!row?.isUndoable || !row.former || !row.created) throw catalogueProblem('import-not-undoable')
  if (!row.isUnchanged) throw catalogueChanged()
  return { ...row, former: row.former, created: row.created }
}

/** Only the organization that imported annotations and white lists can undo them. */
function assertOwnParts(call: Call, entry: Pick<HistoryRow, 'organization'>, created: ImportedIds): void {
  const parts = importableParts(call)
  const isOwn = isOfOwnOrganization(call, entry)
  for (const part of ['annotations', 'whiteList'] as const)
    if (created[part].length > 0 && !(isOwn && parts.has(part)))
      throw catalogueProblem('forbidden.partsOfOthers')
}
