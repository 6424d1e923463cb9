import { bigint, index, jsonb, pgTable, primaryKey, text, unique, uuid } from 'drizzle-orm/pg-core'
import { parties } from '../../agreement/tables.js'
import { foreignKeyTo, instant } from '../../db/tables.js'
import type { UserType } from '../../platform/auth/caller.js'
import { type CatalogueRow, catalogues, type ItemRow } from '../tables.js'

/** The changes of an import or its undo. */
export interface ChangeCounts {
  catalogue: 'created' | 'changed' | 'unchanged'
  items: { created: number; changed: number; withdrawn: number }
  annotations: { created: number; deleted: number }
  whiteList: { created: number; deleted: number }
}

export interface ImportedIds {
  items: string[]
  annotations: string[]
  whiteList: string[]
}

/** A row in JSON. A column that a later version has added is missing. */
type FormerRow<R> = { [M in keyof R]?: R[M] extends Date | null ? string | null : R[M] }

/**
 * The rows that an import changed, as they were. For a created catalogue this is its state after
 * the import.
 */
export interface FormerRows {
  catalogue: FormerRow<CatalogueRow>
  items: (FormerRow<ItemRow> & { id: string })[]
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
    /** The seller of the catalogue at that time. */
    sellerId: uuid('seller_id').notNull(),
    /** The import that this one undoes. Null for an import. */
    undoes: uuid('undoes'),
    userType: text('user_type').$type<UserType>().notNull(),
    userId: text('user_id'),
    organization: text('organization'),
    /**
     * May contain personal data: shown only to the organization of the import, and never logged.
     */
    fileName: text('file_name'),
    counts: jsonb('counts').$type<ChangeCounts>().notNull(),
    /**
     * By the clock of the database. Always later than the previous entry of the catalogue, which
     * identifies its last import.
     */
    recordedAt: instant('recorded_at').notNull(),
    /**
     * The data for the undo of the last import, which the next import deletes, and which expires.
     */
    former: jsonb('former').$type<FormerRows>(),
    created: jsonb('created').$type<ImportedIds>(),
    /**
     * Number of events of the catalogue and its items after the import. Each change adds an event.
     */
    eventCount: bigint('event_count', { mode: 'number' })
  },
  (t) => [
    primaryKey({ name: 'catalogue_imports_pk', columns: [t.id] }),
    foreignKeyTo('catalogue_imports_catalogue_fk', t.catalogueId, catalogues.id),
    foreignKeyTo('catalogue_imports_seller_fk', t.sellerId, parties.id),
    foreignKeyTo('catalogue_imports_undoes_fk', t.undoes, t.id),
    unique('catalogue_imports_undone_once').on(t.undoes),
    unique('catalogue_imports_in_order').on(t.catalogueId, t.recordedAt),
    index('catalogue_imports_recorded_idx').on(t.recordedAt, t.id)
  ]
)
export type HistoryRow = typeof catalogueImports.$inferSelect
