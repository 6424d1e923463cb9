import { sql } from 'drizzle-orm'
import { boolean, check, index, integer, jsonb, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { instant } from '../../db/tables.js'
import type { UserType } from '../../platform/auth/caller.js'
import type { ImportResult } from '../schemas.js'

export type ImportState = 'running' | 'succeeded' | 'failed' | 'interrupted'
export type ImportPhase = 'reading' | 'checking' | 'writing' | 'done'

/**
 * Progress and result of imports, for their callers: of those in the background, and of others that
 * changed something. The history of catalogues is kept beside this. Success is recorded in the
 * transaction that writes the rows, so an import that is not recorded as succeeded has written
 * nothing.
 */
export const imports = pgTable(
  'imports',
  {
    id: uuid('id').notNull(),
    state: text('state').$type<ImportState>().notNull(),
    phase: text('phase').$type<ImportPhase>().notNull(),
    rowsDone: integer('rows_done').notNull(),
    /** Total; 0 until they are counted. */
    rows: integer('rows').notNull(),
    dryRun: boolean('is_rehearsal').notNull(),
    report: jsonb('report').$type<ImportResult>(),
    /** Body of the problem, if it failed. */
    problem: jsonb('problem').$type<Record<string, unknown>>(),
    userType: text('user_type').$type<UserType>().notNull(),
    userId: text('user_id'),
    organization: text('organization'),
    createdAt: instant('created_at').notNull(),
    /** Time of the last heartbeat or change of state. */
    changedAt: instant('changed_at').notNull()
  },
  (t) => [
    primaryKey({ name: 'imports_pk', columns: [t.id] }),
    index('imports_created_idx').on(t.createdAt),
    check('imports_state_known', sql`${t.state} in ('running','succeeded','failed','interrupted')`)
  ]
)
export type ImportRow = typeof imports.$inferSelect
