import { sql } from 'drizzle-orm'
import {
  boolean,
  check,
  foreignKey,
  index,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uuid
} from 'drizzle-orm/pg-core'
import { partyKey } from '../agreement/tables.js'
import type { ItemSnapshot } from '../catalogue/item-snapshot.js'
import { catalogueItems } from '../catalogue/tables.js'
import { copied, foreignKeyTo, instant } from '../db/tables.js'
import type { WrittenRow } from '../db/written-columns.js'

/** The key of order lines, to which devices refer. The module of orders declares the table. */
const orderLines = pgTable('order_lines', { orderId: uuid('order_id'), id: uuid('id') })

/**
 * Devices that order lines delivered: one row for each such line. Contains no patient data except
 * for the numbers of devices.
 */
export const devices = pgTable(
  'devices',
  {
    /** The line that delivered the device. */
    lineId: uuid('line_id').notNull(),
    orderId: uuid('order_id').notNull(),
    buyerId: uuid('buyer_id').notNull(),
    sellerId: uuid('seller_id').notNull(),
    /** The organizations of both parties, by which each side sees the device. */
    buyerOrganization: copied('buyer_organization'),
    sellerOrganization: copied('seller_organization'),
    /** The device model at the time of delivery. */
    itemId: uuid('item_id').notNull(),
    /** The device model as it was at the time of delivery. */
    model: jsonb('model').$type<ItemSnapshot>().notNull(),
    serialNumber: text('serial_number'),
    lotNumber: text('lot_number'),
    /** The unique device identifier as scanned. */
    udi: text('udi'),
    /** The GTIN of the UDI, otherwise of the model, with 14 digits. */
    gtin: text('gtin'),
    /** A day or, without the day, a month. */
    expiryDate: text('expiry_date'),
    from: instant('used_from').notNull(),
    /** The end of use; null while the device is in use. */
    until: instant('used_until'),
    /** Code of the value set device-end-reason. */
    endReason: text('end_reason'),
    /**
     * The first line that fetched or replaced the device, also after an end by hand. Not a foreign
     * key: the order of that line can be removed earlier than the order of the device.
     */
    endedBy: uuid('ended_by'),
    /**
     * Whether the buyer could have ordered the model at the delivery. The seller must not see it.
     */
    isOrderable: boolean('is_orderable').notNull().default(true),
    /** The serial number and the lot number, folded for search. */
    words: text('words')
      .notNull()
      .generatedAlwaysAs(sql`fold_text(coalesce(serial_number, '') || E'\\n' || coalesce(lot_number, ''))`),
    /** The other GTINs of the model, with 14 digits, for a recall. */
    otherGtins: text('other_gtins').array().generatedAlwaysAs(sql`other_gtins(model, gtin)`)
  },
  (t) => [
    primaryKey({ name: 'devices_pk', columns: [t.lineId] }),
    foreignKey({
      name: 'devices_line_fk',
      columns: [t.orderId, t.lineId],
      foreignColumns: [orderLines.orderId, orderLines.id]
    }),
    partyKey('devices_buyer_fk', t.buyerId, t.buyerOrganization),
    partyKey('devices_seller_fk', t.sellerId, t.sellerOrganization),
    foreignKeyTo('devices_item_fk', t.itemId, catalogueItems.id),
    index('devices_order_idx').on(t.orderId),
    // The present and former devices of an organization, in the order of the list of lines.
    index('devices_buyer_in_use_idx').on(t.buyerOrganization, sql`(${t.until} is null)`, t.orderId, t.lineId),
    index('devices_seller_in_use_idx').on(
      t.sellerOrganization,
      sql`(${t.until} is null)`,
      t.orderId,
      t.lineId
    ),
    // Devices of other organizations may have the same value. Each index serves both sides.
    index('devices_item_idx').on(t.itemId, t.buyerOrganization, t.sellerOrganization),
    index('devices_lot_number_idx')
      .on(sql`number_key(${t.lotNumber})`, t.buyerOrganization, t.sellerOrganization)
      .where(sql`${t.lotNumber} is not null`),
    index('devices_serial_number_idx')
      .on(sql`number_key(${t.serialNumber})`, t.buyerOrganization, t.sellerOrganization)
      .where(sql`${t.serialNumber} is not null`),
    index('devices_udi_idx')
      .on(sql`udi_key(${t.udi})`, t.buyerOrganization, t.sellerOrganization)
      .where(sql`${t.udi} is not null`),
    index('devices_gtin_idx')
      .on(t.gtin, t.buyerOrganization, t.sellerOrganization)
      .where(sql`${t.gtin} is not null`),
    // Only models with several numbers. Without the organizations, because GIN indexes of text need
    // another extension. For 20,000 devices of other organizations a list reads 1,700 buffers.
    index('devices_other_gtins_idx').using('gin', t.otherGtins).where(sql`${t.otherGtins} is not null`),
    index('devices_words_idx').using('gin', t.words.op('gin_trgm_ops')),
    check('devices_end_complete', sql`(${t.until} is null) = (${t.endReason} is null)`)
  ]
)

export type DeviceRow = WrittenRow<typeof devices>
