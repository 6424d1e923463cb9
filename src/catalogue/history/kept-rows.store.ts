import { and, eq, getTableColumns, sql } from 'drizzle-orm'
import type { Transaction } from '../../db/driver/database.js'
import { inIds } from '../../db/sql/conditions.js'
import { columnList } from '../../db/sql/row-arrays.js'
import { searchText } from '../../platform/util/search-text.js'
import { type CatalogueRow, catalogueItems, catalogues, type ItemRow } from '../tables.js'
import { catalogueImportRows, type ImportedPart } from './tables.js'

/*
 * What an import keeps for its undo: the ids of the rows that it creates, and the rows that it
 * changes as they were. Former rows do not leave the database until they are restored.
 */

/** Keeps the state of items that the import is about to change. */
export const keepFormerItems = (tx: Transaction, importId: string, ids: readonly string[]) =>
  tx.execute(sql`
    insert into ${catalogueImportRows} (import_id, number, part, row_ids, former)
    select ${importId}, ${nextNumber(importId)}, 'item', array_agg(i.id), json_agg(i)
    from (select ${keptItemColumns} from ${catalogueItems} where ${inIds(catalogueItems.id, ids)}) i`)

/** The search text is derived from the rest. */
const keptItemColumns = sql.join(
  Object.entries(getTableColumns(catalogueItems)).flatMap(([member, column]) =>
    member === 'searchText' ? [] : [sql`${column}`]
  ),
  sql`, `
)

/** Keeps the state of the catalogue that the import is about to change. */
export const keepFormerCatalogue = (tx: Transaction, importId: string, id: string) =>
  tx.execute(sql`
    insert into ${catalogueImportRows} (import_id, number, part, row_ids, former)
    select ${importId}, ${nextNumber(importId)}, 'catalogue', array[c.id], json_build_array(c)
    from (select ${columnList(catalogues)} from ${catalogues} where ${catalogues.id} = ${id}) c`)

/** Keeps the ids of rows that the import has created. */
export const keepCreated = (tx: Transaction, importId: string, part: ImportedPart, ids: readonly string[]) =>
  tx.execute(sql`
    insert into ${catalogueImportRows} (import_id, number, part, row_ids)
    select ${importId}, ${nextNumber(importId)}, ${part}::text, ${sql.param([...ids])}::uuid[]`)

const nextNumber = (importId: string) =>
  sql`(select count(*) from catalogue_import_rows where import_id = ${importId})`

/** The ids of what an import wrote. */
export interface WrittenIds {
  createdItems: string[]
  changedItems: string[]
  annotations: string[]
  whiteList: string[]
}

/** Loads the ids of what an import wrote; undefined when they are no longer kept. */
export async function loadWritten(tx: Transaction, importId: string): Promise<WrittenIds | undefined> {
  const rows = await tx
    .select({
      part: catalogueImportRows.part,
      ids: catalogueImportRows.rowIds,
      isNew: sql<boolean>`${catalogueImportRows.former} is null`
    })
    .from(catalogueImportRows)
    .where(eq(catalogueImportRows.importId, importId))
    .orderBy(catalogueImportRows.number)
  if (rows.length === 0) return undefined
  const idsOf = (part: string, isNew = true) =>
    rows.filter((row) => row.part === part && row.isNew === isNew).flatMap(({ ids }) => ids)
  return {
    createdItems: idsOf('item'),
    changedItems: idsOf('item', false),
    annotations: idsOf('annotation'),
    whiteList: idsOf('whiteList')
  }
}

/** Selects the former rows of a table: members that they did not have then are as they are now. */
function formerRows<T extends typeof catalogueItems | typeof catalogues>(tx: Transaction, table: T) {
  const columns = Object.entries(getTableColumns(table)).map(([member, column]) => [
    member,
    sql`former.${sql.identifier(column.name)}`.mapWith(column)
  ])
  return tx
    .select({ former: Object.fromEntries(columns), present: getTableColumns(table as typeof catalogues) })
    .from(catalogueImportRows)
    .crossJoin(sql`json_array_elements(${catalogueImportRows.former}) kept`)
    .innerJoin(table as typeof catalogues, sql`${table.id} = (kept ->> 'id')::uuid`)
    .crossJoin(sql`json_populate_record(${table}, kept) former`)
}

/** An item as it was before an import, with its present status. */
export interface FormerItem {
  row: ItemRow
  status: string
}

/** Loads some items as they were before an import, with their present number of events. */
export async function loadFormerItems(
  tx: Transaction,
  importId: string,
  ids: readonly string[]
): Promise<FormerItem[]> {
  const rows = await formerRows(tx, catalogueItems).where(
    and(eq(catalogueImportRows.importId, importId), inIds(catalogueItems.id, ids))
  )
  return rows.map(({ former, present: { status, eventCount } }) => ({
    row: withSearchText({ ...(former as ItemRow), eventCount }),
    status
  }))
}

/** The search text is not kept: it is derived from the rest. */
const withSearchText = (row: ItemRow): ItemRow => ({
  ...row,
  searchText: searchText(row.name, row.model, row.manufacturer, ...row.identifiers.map(({ value }) => value))
})

/** Loads a catalogue as it was before an import that changed it. */
export async function loadFormerCatalogue(
  tx: Transaction,
  importId: string
): Promise<CatalogueRow | undefined> {
  const [row] = await formerRows(tx, catalogues).where(
    and(eq(catalogueImportRows.importId, importId), eq(catalogueImportRows.part, 'catalogue'))
  )
  return row?.former as CatalogueRow | undefined
}
