import { sql } from 'drizzle-orm'
import { check, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { instant } from '../../db/tables.js'

/**
 * Reminders that were reported by an event, so that each is reported once: that an order is
 * overdue, or that the agreed time of an order line is near.
 */
export const reminders = pgTable(
  'reminders',
  {
    /** The order or the order line. */
    subjectId: uuid('subject_id').notNull(),
    kind: text('kind').$type<'UNANSWERED' | 'LATE' | 'DELIVERY_DUE'>().notNull(),
    /** When it was due: another agreement or submission makes another reminder. */
    dueAt: instant('due_at').notNull()
  },
  (t) => [
    primaryKey({ name: 'reminders_pk', columns: [t.subjectId, t.kind, t.dueAt] }),
    check('reminders_kind_known', sql`${t.kind} in ('UNANSWERED','LATE','DELIVERY_DUE')`)
  ]
)
