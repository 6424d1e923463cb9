import { sql } from 'drizzle-orm'
import {
  type AnyPgColumn,
  check,
  foreignKey,
  index,
  integer,
  json,
  jsonb,
  pgTable,
  primaryKey,
  text,
  unique,
  uuid
} from 'drizzle-orm/pg-core'
import { parties } from '../../agreement/tables.js'
import { instant } from '../../db/tables.js'
import type { UserType } from '../../platform/auth/caller.js'
import { catalogues } from '../tables.js'

/** What an import, or its undo, changed. */
export interface ChangeCounts {
  catalogue: 'created' | 'changed' | 'unchanged'
  items: { created: number; changed: number; withdrawn: number }
  annotations: { created: number; deleted: number }
  whiteList: { created: number; deleted: number }
}

/**
 * History of catalogues: imports that changed something, and their undos. Written in the
 * transaction of the change, while the catalogue is locked.
 */
export const catalogueImports = pgTable(
  'catalogue_imports',
  {
    id: uuid('id').notNull(),
    catalogueId: uuid('catalogue_id').notNull(),
    /** The seller of the catalogue then. */
    sellerId: uuid('seller_id').notNull(),
    /** The import that this one takes back. Null for an import. */
    undoes: uuid('undoes'),
    userType: text('user_type').$type<UserType>().notNull(),
    userId: text('user_id'),
    organization: text('organization'),
    /** May hold personal data: shown to the own organization only, and never logged. */
    fileName: text('file_name'),
    counts: jsonb('counts').$type<ChangeCounts>().notNull(),
    /** By the clock of the database. Grows within a catalogue, so that its last import is known. */
    recordedAt: instant('recorded_at').notNull()
  },
  (t) => [
    primaryKey({ name: 'catalogue_imports_pk', columns: [t.id] }),
    foreignKey({
      name: 'catalogue_imports_catalogue_fk',
      columns: [t.catalogueId],
      foreignColumns: [catalogues.id]
    }),
    foreignKey({ name: 'catalogue_imports_seller_fk', columns: [t.sellerId], foreignColumns: [parties.id] }),
    foreignKey({
      name: 'catalogue_imports_undoes_fk',
      columns: [t.undoes],
      foreignColumns: [t.id as AnyPgColumn]
    }),
    unique('catalogue_imports_undone_once').on(t.undoes),
    unique('catalogue_imports_in_order').on(t.catalogueId, t.recordedAt),
    index('catalogue_imports_recorded_idx').on(t.recordedAt, t.id)
  ]
)
export type HistoryRow = typeof catalogueImports.$inferSelect

/** The parts of a catalogue that an import writes. */
export type ImportedPart = 'catalogue' | 'item' | 'annotation' | 'whiteList'

/**
 * What the last import of a catalogue wrote, with the former state: what its undo needs. Each row
 * is a batch of rows of one part. Deleted when the catalogue is imported again, and with time.
 */
export const catalogueImportRows = pgTable(
  'catalogue_import_rows',
  {
    importId: uuid('import_id').notNull(),
    number: integer('number').notNull(),
    part: text('part').$type<ImportedPart>().notNull(),
    /** Ids of rows of that part. */
    rowIds: uuid('row_ids').array().notNull(),
    /**
     * The rows before the import, as PostgreSQL writes them as JSON. Null for created rows. Stored
     * without compression, which would take a tenth of the time of an import.
     */
    former: json('former')
  },
  (t) => [
    primaryKey({ name: 'catalogue_import_rows_pk', columns: [t.importId, t.number] }),
    foreignKey({
      name: 'catalogue_import_rows_import_fk',
      columns: [t.importId],
      foreignColumns: [catalogueImports.id]
    }),
    check('catalogue_import_rows_part_known', sql`${t.part} in ('catalogue','item','annotation','whiteList')`)
  ]
)
