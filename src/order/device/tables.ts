import { sql } from 'drizzle-orm'
import { boolean, check, date, index, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { instant } from '../../db/tables.js'

/**
 * Devices that order lines delivered: one row for each such line. Holds no patient data besides the
 * numbers of devices, and no foreign keys: a distributed database has orders on its nodes and this
 * table on its coordinator.
 */
export const devices = pgTable(
  'devices',
  {
    /** The line that delivered the device. */
    lineId: uuid('line_id').notNull(),
    orderId: uuid('order_id').notNull(),
    buyerId: uuid('buyer_id').notNull(),
    sellerId: uuid('seller_id').notNull(),
    /** The device model at the time of delivery. */
    itemId: uuid('item_id').notNull(),
    serialNumber: text('serial_number'),
    lotNumber: text('lot_number'),
    /** The unique device identifier as scanned. */
    udi: text('udi'),
    expiryDate: date('expiry_date', { mode: 'string' }),
    from: instant('used_from').notNull(),
    /** The end of use; null while the device is in use. */
    until: instant('used_until'),
    /** Code of the value set device-end-reason. */
    endReason: text('end_reason'),
    /** The line that fetched or replaced the device. */
    endedBy: uuid('ended_by'),
    /** False for a device of which nothing tells whether it was fetched since. */
    isConfirmed: boolean('is_confirmed').notNull().default(true)
  },
  (t) => [
    primaryKey({ name: 'devices_pk', columns: [t.lineId] }),
    index('devices_order_idx').on(t.orderId),
    // A page of what a party has in use, or had, in the order of the list of lines.
    index('devices_buyer_in_use_idx').on(t.buyerId, t.orderId, t.lineId).where(sql`${t.until} is null`),
    index('devices_seller_in_use_idx').on(t.sellerId, t.orderId, t.lineId).where(sql`${t.until} is null`),
    index('devices_buyer_ended_idx').on(t.buyerId, t.orderId, t.lineId).where(sql`${t.until} is not null`),
    index('devices_seller_ended_idx').on(t.sellerId, t.orderId, t.lineId).where(sql`${t.until} is not null`),
    // Others may have many devices with the same number.
    index('devices_buyer_item_idx').on(t.buyerId, t.itemId, t.lotNumber),
    index('devices_seller_item_idx').on(t.sellerId, t.itemId, t.lotNumber),
    index('devices_buyer_serial_number_idx')
      .on(t.buyerId, t.serialNumber)
      .where(sql`${t.serialNumber} is not null`),
    index('devices_seller_serial_number_idx')
      .on(t.sellerId, t.serialNumber)
      .where(sql`${t.serialNumber} is not null`),
    index('devices_buyer_udi_idx').on(t.buyerId, t.udi).where(sql`${t.udi} is not null`),
    index('devices_seller_udi_idx').on(t.sellerId, t.udi).where(sql`${t.udi} is not null`),
    check('devices_end_complete', sql`(${t.until} is null) = (${t.endReason} is null)`)
  ]
)

export type DeviceRow = typeof devices.$inferSelect
