import { addTrace, type OrderChange } from '../change/change-order.js'
import type { SnapshotLine } from '../store/load-order.js'
import type { DeviceRow } from './tables.js'

/*
 * The life of a device: a line that is fulfilled delivers it, and another one, or a caller, ends
 * its use.
 */

/** Actions of lines that deliver a device. */
const delivering: readonly string[] = ['DELIVER', 'REPLACE']

/** Actions of lines that end the use of the device that they are about, and the reason. */
const endReasons: Readonly<Record<string, string>> = { PICKUP: 'RETURNED', REPLACE: 'REPLACED' }

/**
 * Delivers the device of a line that became FULFILLED, and ends the use of the one that it is
 * about. A line that comes second ends nothing.
 */
export function applyFulfilment(change: OrderChange, lineId: string): void {
  const line = change.lines.find(({ id }) => id === lineId)
  if (!line) return
  const { action, modelId, relatedDevice } = line
  const itemId = modelId ?? relatedDevice?.itemId
  if (delivering.includes(action) && itemId !== undefined)
    setLine(change, lineId, { device: newDevice(change, lineId, itemId) })
  const endReason = endReasons[action]
  if (endReason === undefined || !relatedDevice || relatedDevice.until !== null) return
  const ended = { ...relatedDevice, ...endOfUse(change, relatedDevice, endReason), endedBy: lineId }
  change.lines = change.lines.map((each) =>
    each.relatedDevice?.lineId === ended.lineId ? { ...each, relatedDevice: ended } : each
  )
  traceEnd(change, lineId, endReason)
}

const newDevice = ({ order, at }: OrderChange, lineId: string, itemId: string): DeviceRow => ({
  lineId,
  orderId: order.id,
  buyerId: order.buyerId,
  sellerId: order.sellerId,
  itemId,
  serialNumber: null,
  lotNumber: null,
  udi: null,
  expiryDate: null,
  from: at,
  until: null,
  endReason: null,
  endedBy: null,
  isConfirmed: true
})

/** Changes a line of the order to be written. */
export function setLine(change: OrderChange, id: string, columns: Partial<SnapshotLine>): void {
  change.lines = change.lines.map((each) => (each.id === id ? { ...each, ...columns } : each))
}

/** The end of use now. The clock of another instance may have set its begin ahead. */
export const endOfUse = ({ at }: OrderChange, { from }: DeviceRow, endReason: string) => ({
  until: new Date(Math.max(at.getTime(), from.getTime())),
  endReason
})

/** Adds the trace line of an end of use. */
export const traceEnd = (change: OrderChange, orderLineId: string, reason: string): void =>
  addTrace(change, { text: 'Device use ended.', supplementaryText: `Reason: ${reason}.`, orderLineId })
