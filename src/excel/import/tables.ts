import { sql } from 'drizzle-orm'
import {
  boolean,
  check,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  timestamp,
  uuid
} from 'drizzle-orm/pg-core'
import type { UserType } from '../../platform/auth/actor.js'
import type { ImportAnswer } from '../schemas.js'

const moment = (name: string) => timestamp(name, { withTimezone: true, precision: 3 }).notNull()

export type ImportState = 'running' | 'succeeded' | 'failed' | 'interrupted'
export type ImportPhase = 'reading' | 'checking' | 'writing' | 'done'

/**
 * Imports that are waited for by asking. One that succeeded says so in the transaction that wrote its rows; so one that never says so
 * wrote nothing.
 */
export const imports = pgTable(
  'imports',
  {
    id: uuid('id').notNull(),
    state: text('state').$type<ImportState>().notNull(),
    phase: text('phase').$type<ImportPhase>().notNull(),
    rowsDone: integer('rows_done').notNull(),
    /** Rows in all; 0 until they are counted. */
    rows: integer('rows').notNull(),
    dryRun: boolean('is_rehearsal').notNull(),
    report: jsonb('report').$type<ImportAnswer>(),
    /** The body of the problem that it ended with. */
    problem: jsonb('problem').$type<Record<string, unknown>>(),
    userType: text('user_type').$type<UserType>().notNull(),
    userId: text('user_id'),
    organization: text('organization'),
    createdAt: moment('created_at'),
    /** When it last gave a sign of life. */
    changedAt: moment('changed_at')
  },
  (t) => [
    primaryKey({ name: 'imports_pk', columns: [t.id] }),
    index('imports_created_idx').on(t.createdAt),
    check('imports_state_known', sql`${t.state} in ('running','succeeded','failed','interrupted')`)
  ]
)
export type ImportRow = typeof imports.$inferSelect
