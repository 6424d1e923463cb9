import { sql } from 'drizzle-orm'
import {
  bigint,
  boolean,
  check,
  integer,
  pgSequence,
  pgTable,
  primaryKey,
  text,
  uuid
} from 'drizzle-orm/pg-core'
import { instant } from '../db/tables.js'
import type { EventType, ResourceChange } from './event-types.js'

/** Positions of events. The position is assigned while the row of the resource is locked. */
export const eventPositions = pgSequence('event_positions')

/**
 * The ledger: one row per event, written in the transaction of the change that it reports. A
 * trigger rejects updates and deletes. Partitioned by the month of `time` in UTC. Holds ids and
 * codes only.
 */
export const events = pgTable(
  'events',
  {
    /** Increases with each event of a resource. Transactions may commit in another order. */
    position: bigint('position', { mode: 'number' }).notNull().default(sql`nextval('event_positions')`),
    time: instant('time').notNull(),
    id: uuid('id').notNull(),
    type: text('type').$type<EventType>().notNull(),
    change: text('change').$type<ResourceChange>().notNull(),
    subjectId: uuid('subject_id').notNull(),
    /**
     * The resource whose readers see the event: the order of a line, the catalogue of an item, the
     * buyer of an annotation or a white list entry, otherwise the subject.
     */
    ownerId: uuid('owner_id').notNull(),
    /** Number of the event among those of its subject, from 1. */
    sequence: integer('sequence').notNull(),
    oldStatus: text('old_status'),
    /** For `order.overdue` the code of the attention. */
    newStatus: text('new_status'),
    /** Whether the order had not been submitted: its seller never sees the event. */
    isOfDraft: boolean('is_of_draft').notNull(),
    /** W3C trace context of the request. */
    traceparent: text('traceparent')
  },
  (t) => [
    primaryKey({ name: 'events_pk', columns: [t.position, t.time] }),
    check('events_change_known', sql`${t.change} in ('created','changed','deleted')`)
  ]
)

/** A row to insert. PostgreSQL assigns its position. */
export type EventRow = Omit<typeof events.$inferSelect, 'position'>
