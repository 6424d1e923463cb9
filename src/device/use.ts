import type { DeviceRow } from './tables.js'

/*
 * The life of a device: a line that is fulfilled delivers it, and another line, or a caller, ends
 * its use.
 */

/** Actions of lines that deliver a device. */
export const deliveringActions: readonly string[] = ['DELIVER', 'REPLACE']

/** Actions of lines that end the use of the device that they are about, and the reason. */
export const endReasons: Readonly<Record<string, string>> = { PICKUP: 'RETURNED', REPLACE: 'REPLACED' }

/** Codes of device-end-reason that a caller gives. The others follow from order lines. */
export const manualEndReasons: readonly string[] = ['LOST', 'DISCARDED', 'KEPT']

type Delivery = Pick<DeviceRow, 'lineId' | 'orderId' | 'buyerId' | 'sellerId' | 'itemId' | 'model' | 'from'>

/** A device that is delivered, without numbers. */
export const newDevice = (delivery: Delivery): DeviceRow => ({
  ...delivery,
  serialNumber: null,
  lotNumber: null,
  udi: null,
  gtin: null,
  expiryDate: null,
  until: null,
  endReason: null,
  endedBy: null,
  isOrderable: true
})

/** The end of use at a time. The clock of another instance may have set its begin ahead. */
export const endOfUse = (at: Date, { from }: Pick<DeviceRow, 'from'>, endReason: string) => ({
  until: new Date(Math.max(at.getTime(), from.getTime())),
  endReason
})
