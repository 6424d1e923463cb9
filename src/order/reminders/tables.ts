import { sql } from 'drizzle-orm'
import { check, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { instant } from '../../db/tables.js'

/**
 * Reminders that an event has reported, so that each is reported once: an overdue order, or the
 * near agreed time of an order line.
 */
export const reminders = pgTable(
  'reminders',
  {
    /** The order or the order line. */
    subjectId: uuid('subject_id').notNull(),
    kind: text('kind').$type<'UNANSWERED' | 'LATE' | 'DELIVERY_DUE'>().notNull(),
    /** The due time. Another agreed time or submission causes another reminder. */
    dueAt: instant('due_at').notNull()
  },
  (t) => [
    primaryKey({ name: 'reminders_pk', columns: [t.subjectId, t.kind, t.dueAt] }),
    check('reminders_kind_known', sql`${t.kind} in ('UNANSWERED','LATE','DELIVERY_DUE')`)
  ]
)
