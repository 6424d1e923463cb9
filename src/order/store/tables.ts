import { sql } from 'drizzle-orm'
import {
  boolean,
  check,
  date,
  foreignKey,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  unique,
  uuid
} from 'drizzle-orm/pg-core'
import { parties } from '../../agreement/tables.js'
import { catalogueItems } from '../../catalogue/tables.js'
import { instant } from '../../db/tables.js'
import type { Identifier } from '../../platform/schemas/schemas.js'
import type { Note } from '../model/order.schemas.js'
import type { OrderStatus } from '../model/order.state.js'
import type { LineStatus } from '../model/order-line.state.js'

export const orders = pgTable(
  'orders',
  {
    id: uuid('id').notNull(),
    identifiers: jsonb('identifiers').$type<Identifier[]>().notNull(),
    name: text('name'),
    status: text('status').$type<OrderStatus>().notNull(),
    /** Why the order has its status: a code and a text, which may be about the patient. */
    statusReasonCode: text('status_reason_code'),
    statusReasonText: text('status_reason_text'),
    priority: boolean('priority').notNull(),
    notes: jsonb('notes').$type<Note[]>().notNull(),
    buyerId: uuid('buyer_id').notNull(),
    sellerId: uuid('seller_id').notNull(),
    receiverName: text('receiver_name').notNull(),
    receiverAddressLine1: text('receiver_address_line1'),
    receiverAddressLine2: text('receiver_address_line2'),
    receiverPostalCode: text('receiver_postal_code'),
    receiverPostalDistrict: text('receiver_postal_district'),
    receiverEmail: text('receiver_email'),
    receiverPhone: text('receiver_phone'),
    /** URL of the clinical Patient. */
    patient: text('patient').notNull(),
    /** Name, identifiers and the receiver's name, normalized for search. */
    searchText: text('search_text').notNull(),
    /**
     * Grows with every change of the order or its lines; a change of an older revision is retried.
     */
    revision: integer('revision').notNull(),
    /** Number of trace lines, equal to the `seq` of the last one. */
    traceCount: integer('trace_count').notNull(),
    /** Number of events of the order itself, equal to the `sequence` of the last one. */
    eventCount: integer('event_count').notNull().default(0),
    createdAt: instant('created_at').notNull(),
    /** Time of the latest change; see `time-of-change.ts`. */
    changedAt: instant('changed_at').notNull(),
    /**
     * The seller sees the order from then on. Null for a draft, and for a draft that was cancelled.
     */
    submittedAt: instant('submitted_at'),
    /** Set for a deleted draft, whose row stays. */
    deletedAt: instant('deleted_at'),
    /** The period in which the buyer wishes the delivery; both days are inclusive. */
    earliestDeliveryDate: date('earliest_delivery_date', { mode: 'string' }),
    latestDeliveryDate: date('latest_delivery_date', { mode: 'string' }),
    /** The side whose answer the other one awaits. */
    awaiting: text('awaiting').$type<'BUYER' | 'SELLER'>(),
    /**
     * The end of the latest time that is agreed for one of its lines. Without one none becomes late
     * in the course of a day.
     */
    agreedUntil: instant('agreed_until')
  },
  (t) => [
    primaryKey({ name: 'orders_pk', columns: [t.id] }),
    foreignKey({ name: 'orders_buyer_fk', columns: [t.buyerId], foreignColumns: [parties.id] }),
    foreignKey({ name: 'orders_seller_fk', columns: [t.sellerId], foreignColumns: [parties.id] }),
    index('orders_buyer_idx').on(t.buyerId, t.id),
    index('orders_buyer_status_idx').on(t.buyerId, t.status, t.id),
    index('orders_seller_idx').on(t.sellerId, t.status, t.id),
    index('orders_parties_idx').on(t.buyerId, t.sellerId, t.status, t.id),
    index('orders_buyer_changed_idx').on(t.buyerId, t.changedAt, t.id),
    index('orders_seller_changed_idx')
      .on(t.sellerId, t.changedAt, t.id)
      .where(sql`${t.submittedAt} is not null`),
    index('orders_seller_agreed_idx')
      .on(t.sellerId, t.agreedUntil, t.id)
      .where(sql`${t.agreedUntil} is not null`),
    index('orders_buyer_agreed_idx')
      .on(t.buyerId, t.agreedUntil, t.id)
      .where(sql`${t.agreedUntil} is not null`),
    index('orders_patient_idx').on(t.patient, t.id),
    check(
      'orders_status_known',
      sql`${t.status} in ('DRAFT','SUBMITTED','ACCEPTED','REJECTED','FULFILLED','CANCELLED')`
    ),
    check('orders_submitted', sql`${t.status} in ('DRAFT','CANCELLED') or ${t.submittedAt} is not null`),
    check('orders_draft_unsubmitted', sql`${t.status} <> 'DRAFT' or ${t.submittedAt} is null`),
    check('orders_deleted_draft', sql`${t.deletedAt} is null or ${t.status} = 'DRAFT'`)
  ]
)

export const orderLines = pgTable(
  'order_lines',
  {
    id: uuid('id').notNull(),
    orderId: uuid('order_id').notNull(),
    itemId: uuid('item_id').notNull(),
    status: text('status').$type<LineStatus>().notNull(),
    /** As in {@link orders}. */
    statusReasonCode: text('status_reason_code'),
    statusReasonText: text('status_reason_text'),
    action: text('action').notNull(),
    /** Number of events of the line. */
    eventCount: integer('event_count').notNull().default(0),
    createdAt: instant('created_at').notNull(),
    /** Set for a line deleted from a draft, whose row stays. */
    deletedAt: instant('deleted_at'),
    /** The line that delivered the device that this line is about. */
    relatedTo: uuid('related_to'),
    /** The time that the seller has agreed with the patient; both or neither. */
    agreedFrom: instant('agreed_from'),
    agreedTo: instant('agreed_to')
  },
  (t) => [
    primaryKey({ name: 'order_lines_pk', columns: [t.orderId, t.id] }),
    foreignKey({ name: 'order_lines_order_fk', columns: [t.orderId], foreignColumns: [orders.id] }),
    foreignKey({ name: 'order_lines_item_fk', columns: [t.itemId], foreignColumns: [catalogueItems.id] }),
    index('order_lines_id_idx').on(t.id),
    index('order_lines_item_idx').on(t.itemId),
    index('order_lines_related_idx').on(t.relatedTo).where(sql`${t.relatedTo} is not null`),
    check('order_lines_status_known', sql`${t.status} in ('UNFULFILLED','SUBMITTED','FULFILLED','CANCELLED')`)
  ]
)

/** Append-only history of an order: a trigger rejects updates and deletes. */
export const traceLines = pgTable(
  'trace_lines',
  {
    id: uuid('id').notNull(),
    orderId: uuid('order_id').notNull(),
    /** Position in the trace of the order, from 1. */
    seq: integer('seq').notNull(),
    timestamp: instant('timestamp').notNull(),
    createdByOrganization: text('created_by_organization').notNull(),
    text: text('text').notNull(),
    supplementaryText: text('supplementary_text').notNull(),
    orderLineId: uuid('order_line_id'),
    /** Codes of a status change, of the line if there is one, else of the order; otherwise null. */
    oldStatus: text('old_status'),
    newStatus: text('new_status')
  },
  (t) => [
    primaryKey({ name: 'trace_lines_pk', columns: [t.orderId, t.id] }),
    foreignKey({ name: 'trace_lines_order_fk', columns: [t.orderId], foreignColumns: [orders.id] }),
    foreignKey({
      name: 'trace_lines_order_line_fk',
      columns: [t.orderId, t.orderLineId],
      foreignColumns: [orderLines.orderId, orderLines.id]
    }),
    unique('trace_lines_seq_unique').on(t.orderId, t.seq),
    index('trace_lines_id_idx').on(t.id),
    check('trace_lines_change_complete', sql`(${t.oldStatus} is null) = (${t.newStatus} is null)`)
  ]
)

export type OrderRow = typeof orders.$inferSelect
export type LineRow = typeof orderLines.$inferSelect
export type TraceRow = typeof traceLines.$inferSelect
