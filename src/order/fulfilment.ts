import { and, eq } from 'drizzle-orm'
import { deliveringActions, endOfUse, endReasons, newDevice } from '../device/use.js'
import type { Ports } from '../ports.js'
import { addTrace, type OrderChange, setLine } from './change.js'
import { orderLines, traceLines } from './store/tables.js'

/**
 * Delivers the device of a line that became FULFILLED, and ends the use of the device that the line
 * is about. The second of two such lines ends nothing. After an end by hand, the device stores the
 * line that ends its use when that end is removed.
 */
export function applyFulfilment(change: OrderChange, lineId: string): void {
  const line = change.lines.find(({ id }) => id === lineId)
  if (!line) return
  const { action, modelId, modelNow, relatedDevice } = line
  const itemId = modelId ?? relatedDevice?.itemId
  const model = modelNow ?? relatedDevice?.modelNow
  if (deliveringActions.includes(action) && itemId !== undefined && model !== undefined) {
    const { id: orderId, buyerId, sellerId } = change.order
    const delivery = { lineId, orderId, buyerId, sellerId, itemId, model, from: change.at }
    setLine(change, lineId, { device: newDevice(delivery) })
  }
  const endReason = endReasons[action]
  if (endReason === undefined || !relatedDevice || relatedDevice.endedBy !== null) return
  const isEnded = relatedDevice.until !== null
  const end = isEnded ? {} : endOfUse(change.at, relatedDevice, endReason)
  const ended = { ...relatedDevice, ...end, endedBy: lineId }
  change.lines = change.lines.map((each) =>
    each.relatedDevice?.lineId === ended.lineId ? { ...each, relatedDevice: ended } : each
  )
  if (!isEnded) traceEnd(change, lineId, endReason)
}

/** Adds the trace line of an end of use. */
export const traceEnd = (change: OrderChange, orderLineId: string, reason: string): void =>
  addTrace(change, { code: 'device-use-ended', supplementaryText: `Reason: ${reason}.`, orderLineId })

/** Finds the action of a line that fetched or replaced a device, and when it was fulfilled. */
export async function findFulfilment(
  { db }: Pick<Ports, 'db'>,
  lineId: string
): Promise<{ action: string; at: Date } | undefined> {
  const [found] = await db
    .select({ action: orderLines.action, at: traceLines.timestamp })
    .from(orderLines)
    .innerJoin(
      traceLines,
      and(eq(traceLines.orderId, orderLines.orderId), eq(traceLines.orderLineId, orderLines.id))
    )
    .where(and(eq(orderLines.id, lineId), eq(traceLines.newStatus, 'FULFILLED')))
  return found
}
