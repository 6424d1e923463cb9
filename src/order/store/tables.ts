import { sql } from 'drizzle-orm'
import {
  boolean,
  check,
  date,
  foreignKey,
  index,
  integer,
  jsonb,
  pgSequence,
  pgTable,
  primaryKey,
  text,
  unique,
  uuid
} from 'drizzle-orm/pg-core'
import { partyKey } from '../../agreement/tables.js'
import type { ItemSnapshot } from '../../catalogue/item-snapshot.js'
import { catalogueItems } from '../../catalogue/tables.js'
import { copied, eventCounter, foreignKeyTo, instant } from '../../db/tables.js'
import type { WrittenRow } from '../../db/written-columns.js'
import type { DevicesOfLine, StoredDevice } from '../../device/store.js'
import type { DeviceRow } from '../../device/tables.js'
import type { Identifier } from '../../platform/schemas/schemas.js'
import type { Note } from '../model/order.schemas.js'
import type { LineStatus, OrderStatus } from '../model/states.js'
import type { TraceCode } from '../model/trace-texts.js'

/** Counts orders. The sequence never restarts, so no number is used twice. */
export const orderNumbers = pgSequence('order_numbers', { maxValue: 2 ** 40 - 1 })

export const orders = pgTable(
  'orders',
  {
    id: uuid('id').notNull(),
    /** The short number of the order for people. PostgreSQL makes it. */
    number: text('number').notNull().default(sql`order_number(nextval('order_numbers'))`),
    identifiers: jsonb('identifiers').$type<Identifier[]>().notNull(),
    name: text('name'),
    status: text('status').$type<OrderStatus>().notNull(),
    /** The reason of the status: a code and a text, which may be about the patient. */
    statusReasonCode: text('status_reason_code'),
    statusReasonText: text('status_reason_text'),
    priority: boolean('priority').notNull(),
    notes: jsonb('notes').$type<Note[]>().notNull(),
    buyerId: uuid('buyer_id').notNull(),
    sellerId: uuid('seller_id').notNull(),
    /** The organizations of both parties, by which each side sees the order. */
    buyerOrganization: copied('buyer_organization'),
    sellerOrganization: copied('seller_organization'),
    receiverName: text('receiver_name').notNull(),
    receiverAddressLine1: text('receiver_address_line1'),
    receiverAddressLine2: text('receiver_address_line2'),
    receiverPostalCode: text('receiver_postal_code'),
    receiverPostalDistrict: text('receiver_postal_district'),
    receiverEmail: text('receiver_email'),
    receiverPhone: text('receiver_phone'),
    receiverPatientName: text('receiver_patient_name'),
    /** URL of the clinical Patient. */
    patient: text('patient').notNull(),
    /** Name, identifiers, and the names of the receiver and the patient, normalized for search. */
    searchText: text('search_text').notNull(),
    /**
     * Increases with every change of the order or its lines. A change of an older revision is
     * retried.
     */
    revision: integer('revision').notNull(),
    /** Number of trace lines, equal to the `seq` of the last trace line. */
    traceCount: integer('trace_count').notNull(),
    /** Number of events of the order itself, equal to the `sequence` of the last event. */
    eventCount: eventCounter('event_count'),
    createdAt: instant('created_at').notNull(),
    /** Time of the latest change, see `save.ts`. */
    changedAt: instant('changed_at').notNull(),
    /**
     * Null for a draft, and for a draft that was cancelled. The seller sees the order after this
     * time.
     */
    submittedAt: instant('submitted_at'),
    /** When the seller first accepted, rejected or fulfilled the order. */
    answeredAt: instant('answered_at'),
    /** Set for a deleted draft, whose row stays. */
    deletedAt: instant('deleted_at'),
    /** The period in which the buyer wishes the delivery; both days are inclusive. */
    earliestDeliveryDate: date('earliest_delivery_date', { mode: 'string' }),
    latestDeliveryDate: date('latest_delivery_date', { mode: 'string' }),
    /** The side whose answer the other side awaits. */
    awaiting: text('awaiting').$type<'BUYER' | 'SELLER'>(),
    /** Whether a line is UNFULFILLED after the submission. */
    hasReturnedLine: boolean('has_returned_line').notNull().default(false),
    /** Whether a line was ever UNFULFILLED after the submission. */
    wasReturned: boolean('was_returned').notNull().default(false),
    /**
     * Whether the order was late before its latest change. The order may have become late
     * afterwards.
     */
    wasLate: boolean('was_late').notNull().default(false),
    /** When a submitted order becomes unanswered, as determined at the submission. */
    answerDueAt: instant('answer_due_at'),
    /** When the first of the SUBMITTED lines becomes late. A closed order keeps the time. */
    deliveryDueAt: instant('delivery_due_at'),
    /** When the order becomes unanswered or late. */
    dueAt: instant('due_at').generatedAlwaysAs(
      sql`case when answered_at is null then least(answer_due_at, delivery_due_at) else delivery_due_at end`
    ),
    /** The approximate number of bytes of the row in a list. */
    jsonBytes: integer('json_bytes')
      .notNull()
      .generatedAlwaysAs(sql`json_bytes_of(identifiers) + coalesce(json_bytes_of(name), 0) + json_bytes_of(status)
        + json_bytes_of(notes) + json_bytes_of(receiver_name) + coalesce(json_bytes_of(receiver_address_line1), 0)
        + coalesce(json_bytes_of(receiver_address_line2), 0) + coalesce(json_bytes_of(receiver_postal_code), 0)
        + coalesce(json_bytes_of(receiver_postal_district), 0) + coalesce(json_bytes_of(receiver_email), 0)
        + coalesce(json_bytes_of(receiver_phone), 0) + coalesce(json_bytes_of(receiver_patient_name), 0)
        + json_bytes_of(patient)`)
  },
  (t) => [
    primaryKey({ name: 'orders_pk', columns: [t.id] }),
    unique('orders_number_unique').on(t.number),
    partyKey('orders_buyer_fk', t.buyerId, t.buyerOrganization),
    partyKey('orders_seller_fk', t.sellerId, t.sellerOrganization),
    // Lists read the orders of an organization on one side; see lists/select-orders.ts.
    index('orders_buyer_status_idx')
      .on(t.buyerOrganization, t.status, t.id, t.buyerId)
      .where(sql`${t.deletedAt} is null`),
    index('orders_seller_status_idx')
      .on(t.sellerOrganization, t.status, t.id, t.sellerId)
      .where(sql`${t.submittedAt} is not null and ${t.deletedAt} is null`),
    index('orders_buyer_changed_idx')
      .on(t.buyerOrganization, t.changedAt, t.id)
      .where(sql`${t.deletedAt} is null`),
    index('orders_seller_changed_idx')
      .on(t.sellerOrganization, t.changedAt, t.id)
      .where(sql`${t.submittedAt} is not null and ${t.deletedAt} is null`),
    index('orders_buyer_due_idx')
      .on(t.buyerOrganization, sql`coalesce(${t.dueAt}, 'infinity')`, t.id)
      .where(sql`${t.status} in ('SUBMITTED','ACCEPTED')`),
    index('orders_seller_due_idx')
      .on(t.sellerOrganization, sql`coalesce(${t.dueAt}, 'infinity')`, t.id)
      .where(sql`${t.status} in ('SUBMITTED','ACCEPTED')`),
    index('orders_seller_partner_idx').on(t.sellerId, t.buyerOrganization, t.status, t.id),
    index('orders_buyer_partner_idx').on(t.buyerId, t.sellerOrganization, t.status, t.id),
    index('orders_patient_idx').on(t.patient, t.id),
    index('orders_identifiers_idx').using('gin', t.identifiers.op('jsonb_path_ops')),
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
    /** The columns are as in {@link orders}. */
    statusReasonCode: text('status_reason_code'),
    statusReasonText: text('status_reason_text'),
    action: text('action').notNull(),
    eventCount: eventCounter('event_count'),
    createdAt: instant('created_at').notNull(),
    /** Set for a line deleted from a draft, or with its draft; its row stays. */
    deletedAt: instant('deleted_at'),
    /**
     * The line that delivered the device that this line is about. Not a foreign key: the order of
     * that line can be removed earlier than the order of this line.
     */
    relatedTo: uuid('related_to'),
    /** The time that the seller has agreed with the receiver; both or neither. */
    agreedFrom: instant('agreed_from'),
    agreedTo: instant('agreed_to'),
    /** When the line was fulfilled or cancelled. */
    closedAt: instant('closed_at'),
    /** When the line was carried out according to the seller, and who received the delivery. */
    performedAt: instant('performed_at'),
    receivedBy: text('received_by'),
    /** Whether the seller took back that the line ended the use of the device that it is about. */
    tookEndBack: boolean('took_end_back').notNull().default(false),
    /** The item as it was at the submission of the order. Null in a draft. */
    orderedItem: jsonb('ordered_item').$type<ItemSnapshot>(),
    /** Copies from the order, by which each side sees the line. */
    buyerOrganization: copied('buyer_organization'),
    sellerOrganization: copied('seller_organization'),
    patient: copied('patient'),
    submittedAt: instant('submitted_at').$default(() => null as unknown as Date)
  },
  (t) => [
    primaryKey({ name: 'order_lines_pk', columns: [t.orderId, t.id] }),
    foreignKeyTo('order_lines_order_fk', t.orderId, orders.id),
    foreignKeyTo('order_lines_item_fk', t.itemId, catalogueItems.id),
    unique('order_lines_id_unique').on(t.id),
    // See lists/select-lines.ts.
    index('order_lines_buyer_status_idx')
      .on(t.buyerOrganization, t.status, t.orderId, t.id)
      .where(sql`${t.deletedAt} is null`),
    index('order_lines_seller_status_idx')
      .on(t.sellerOrganization, t.status, t.orderId, t.id)
      .where(sql`${t.submittedAt} is not null and ${t.deletedAt} is null`),
    index('order_lines_buyer_agreed_idx')
      .on(t.buyerOrganization, t.agreedFrom, t.id, t.agreedTo)
      .where(sql`${t.agreedFrom} is not null`),
    index('order_lines_seller_agreed_idx')
      .on(t.sellerOrganization, t.agreedFrom, t.id, t.agreedTo)
      .where(sql`${t.agreedFrom} is not null`),
    index('order_lines_patient_idx').on(t.patient, t.orderId, t.id),
    index('order_lines_buyer_item_idx').on(t.itemId, t.buyerOrganization, t.orderId, t.id),
    index('order_lines_seller_item_idx').on(t.itemId, t.sellerOrganization, t.orderId, t.id),
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
    /** What the trace line reports. */
    code: text('code').$type<TraceCode>().notNull(),
    text: text('text').notNull(),
    supplementaryText: text('supplementary_text').notNull(),
    orderLineId: uuid('order_line_id'),
    /**
     * Codes of a status change, of the line if there is one, otherwise of the order; null without a
     * status change.
     */
    oldStatus: text('old_status'),
    newStatus: text('new_status')
  },
  (t) => [
    primaryKey({ name: 'trace_lines_pk', columns: [t.orderId, t.id] }),
    foreignKeyTo('trace_lines_order_fk', t.orderId, orders.id),
    foreignKey({
      name: 'trace_lines_order_line_fk',
      columns: [t.orderId, t.orderLineId],
      foreignColumns: [orderLines.orderId, orderLines.id]
    }),
    unique('trace_lines_id_unique').on(t.id),
    unique('trace_lines_seq_unique').on(t.orderId, t.seq),
    check('trace_lines_change_complete', sql`(${t.oldStatus} is null) = (${t.newStatus} is null)`)
  ]
)

export type OrderRow = WrittenRow<typeof orders>
export type LineRow = WrittenRow<typeof orderLines>
export type TraceRow = typeof traceLines.$inferSelect

/** An order line with the device that it delivered, and the device that it is about. */
export type LineWithDevices = LineRow & DevicesOfLine

/** An order line as a response shows it. The caller may not see the related device's order. */
export type ShownLine = LineRow & {
  device: (DeviceRow & Partial<Pick<StoredDevice, 'alsoInUse'>>) | null
  relatedDevice: (DeviceRow & Pick<StoredDevice, 'isShown'>) | null
}
