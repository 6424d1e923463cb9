import { gtinOf } from '../platform/text/numbers.js'
import type { DeviceRow } from './tables.js'

/*
 * The use of a device: a fulfilled line delivers the device, and another line or a caller ends its
 * use.
 */

export const deliveringActions: readonly string[] = ['DELIVER', 'REPLACE']

/** Actions of lines that end the use of the device that they are about, and the reason. */
export const endReasons: Readonly<Record<string, string>> = { PICKUP: 'RETURNED', REPLACE: 'REPLACED' }

/**
 * The end reason of a device that its seller registered by mistake. Such a device was never in use.
 */
export const ENTERED_IN_ERROR = 'ENTERED_IN_ERROR'

/** Codes of device-end-reason that a caller gives. Order lines cause the other codes. */
export const manualEndReasons: readonly string[] = ['LOST', 'DISCARDED', 'KEPT', ENTERED_IN_ERROR]

/** Whether a caller gave the end of use of a device. */
export const isEndedByHand = ({ endReason }: Pick<DeviceRow, 'endReason'>) =>
  endReason !== null && manualEndReasons.includes(endReason)

type Delivery = Pick<
  DeviceRow,
  'lineId' | 'orderId' | 'buyerId' | 'sellerId' | 'itemId' | 'model' | 'from' | 'isOrderable'
>

/** The GTIN of the model of a device, with 14 digits. */
export const gtinOfModel = ({ model }: Pick<DeviceRow, 'model'>): string | null =>
  model.identifiers.map(({ value }) => gtinOf(value)).find((gtin) => gtin) ?? null

/** A delivered device without numbers, which is found by the GTIN of its model. */
export const newDevice = (delivery: Delivery): DeviceRow => ({
  ...delivery,
  serialNumber: null,
  lotNumber: null,
  udi: null,
  gtin: gtinOfModel(delivery),
  expiryDate: null,
  until: null,
  endReason: null,
  endedBy: null
})

/** The end of use at a time. The clock of another instance may have set its start in the future. */
export const endOfUse = (at: Date, { from }: Pick<DeviceRow, 'from'>, endReason: string) => ({
  until: endReason === ENTERED_IN_ERROR ? from : new Date(Math.max(at.getTime(), from.getTime())),
  endReason
})

/**
 * The reason of an end of use that a line made; null for any other end, and while the device is in
 * use.
 */
export const endReasonBy = (
  lineId: string,
  device: Pick<DeviceRow, 'endReason' | 'endedBy'>
): string | null => (device.endedBy === lineId && !isEndedByHand(device) ? device.endReason : null)
