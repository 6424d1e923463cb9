import { isNotNull, sql } from 'drizzle-orm'
import { check, index, pgTable, primaryKey, text, timestamp, uuid } from 'drizzle-orm/pg-core'
import type { Interaction } from '../platform/auth/audit-context.js'

/** Who called what about which patients, and how it ended: one row a request. A trigger refuses to change or remove a row. */
export const auditEvents = pgTable(
  'audit_events',
  {
    id: uuid('id').notNull(),
    recorded: timestamp('recorded', { withTimezone: true, precision: 3 }).notNull(),
    requestId: text('request_id').notNull(),
    /** `operationId` of what was called. */
    operation: text('operation').notNull(),
    interaction: text('interaction').$type<Interaction>().notNull(),
    /** Code of the problem that the request ended with; null for a success. */
    problem: text('problem'),
    userType: text('user_type').notNull(),
    userId: text('user_id'),
    organization: text('organization'),
    /** Patients by their references, or keyed hashes of those. */
    patients: text('patients').array().$type<(string | null)[]>().notNull(),
    /** The order that each of the patients stands in, at the same place; null where there is none. */
    orders: uuid('orders').array().$type<(string | null)[]>().notNull(),
    /**
     * An earlier row that names the very same patients and orders, where this one names none. No foreign key: it would lock that row
     * for each that refers to it. The statement that writes looks whether it is there, and the triggers keep it.
     */
    sameAs: uuid('same_as')
  },
  (t) => [
    primaryKey({ name: 'audit_events_pk', columns: [t.id] }),
    index('audit_events_organization_idx').on(t.organization, t.recorded, t.id),
    index('audit_events_patients_idx').using('gin', t.patients),
    index('audit_events_orders_idx').using('gin', t.orders),
    index('audit_events_same_as_idx').on(t.sameAs).where(isNotNull(t.sameAs)),
    check('audit_events_paired', sql`cardinality(${t.patients}) = cardinality(${t.orders})`),
    check('audit_events_named_once', sql`${t.sameAs} is null or cardinality(${t.orders}) = 0`)
  ]
)
export type AuditRow = typeof auditEvents.$inferSelect
