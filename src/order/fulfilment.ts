import { eq } from 'drizzle-orm'
import type { ItemSnapshot } from '../catalogue/item-snapshot.js'
import type { StoredDevice } from '../device/store.js'
import { deliveringActions, endOfUse, endReasonBy, endReasons, newDevice } from '../device/use.js'
import type { Ports } from '../ports.js'
import { addTrace, changedValueText, type OrderChange, setLine } from './change.js'
import type { SnapshotLine } from './store/load-order.js'
import { orderLines } from './store/tables.js'

/**
 * Delivers the device of a line that became FULFILLED, and ends the use of the device that the line
 * is about.
 */
export function applyFulfilment(change: OrderChange, lineId: string): void {
  const line = change.lines.find(({ id }) => id === lineId)
  if (!line) return
  const { action, modelId, otherModel, orderedItem, performedAt, relatedDevice } = line
  const itemId = otherModel?.id ?? modelId ?? relatedDevice?.itemId
  const model = otherModel?.model ?? presentModel(line)
  const at = performedAt ?? change.at
  if (deliveringActions.includes(action) && itemId !== undefined && model) {
    const { id: orderId, buyerId, sellerId } = change.order
    const isOrderable = otherModel?.isOrderable ?? true
    const delivery = { lineId, orderId, buyerId, sellerId, itemId, model, from: at, isOrderable }
    setLine(change, lineId, { device: newDevice(delivery) })
    if (otherModel)
      addTrace(change, {
        code: 'another-model-delivered',
        supplementaryText: changedValueText(orderedItem?.name, model.name),
        orderLineId: lineId
      })
  }
  endRelatedUse(change, line, at)
}

/**
 * The model of a line as it is now. The undo of an import removes the identifiers of the items that
 * it withdraws, and a recall must find the device. Such a model keeps the identifiers with which it
 * was ordered, or those of the related device of the same model.
 */
function presentModel(line: SnapshotLine): ItemSnapshot | null {
  const { itemId, modelId, orderedItem, relatedDevice } = line
  const { modelNow, isModelWithdrawn } = modelId === null && relatedDevice ? relatedDevice : line
  const isOfRelated = modelId === null || modelId === relatedDevice?.itemId
  const former = modelId === itemId ? orderedItem : isOfRelated ? relatedDevice?.model : null
  return modelNow && isModelWithdrawn && former ? { ...modelNow, identifiers: former.identifiers } : modelNow
}

/**
 * Ends the use of the device that a fulfilled line is about, unless an earlier line has ended it.
 * After an end by hand, the device stores the line that ends its use if that end is removed.
 */
export function endRelatedUse(
  change: OrderChange,
  { id, action, relatedDevice }: SnapshotLine,
  at: Date
): void {
  const endReason = endReasons[action]
  if (endReason === undefined || !relatedDevice || relatedDevice.endedBy !== null) return
  const isEnded = relatedDevice.until !== null
  const end = isEnded ? {} : endOfUse(at, relatedDevice, endReason)
  setRelatedDevice(change, { ...relatedDevice, ...end, endedBy: id })
  if (!isEnded) traceEnd(change, id, endReason)
}

/**
 * Undoes the end of use that the line caused for its related device. An end entered by hand stays.
 */
export function takeBackEnd(change: OrderChange, { id, relatedDevice }: SnapshotLine): void {
  if (relatedDevice?.endedBy !== id) return
  const reason = endReasonBy(id, relatedDevice)
  const inUse = reason === null ? {} : { until: null, endReason: null }
  setRelatedDevice(change, { ...relatedDevice, ...inUse, endedBy: null })
  if (reason !== null)
    addTrace(change, {
      code: 'device-use-resumed',
      supplementaryText: `Removed reason: ${reason}.`,
      orderLineId: id
    })
}

/** Changes a device in each line of the order that is about it. */
function setRelatedDevice(change: OrderChange, device: StoredDevice): void {
  change.lines = change.lines.map((each) =>
    each.relatedDevice?.lineId === device.lineId ? { ...each, relatedDevice: device } : each
  )
}

export const traceEnd = (change: OrderChange, orderLineId: string, reason: string): void =>
  addTrace(change, { code: 'device-use-ended', supplementaryText: `Reason: ${reason}.`, orderLineId })

/** Finds the action and the time of a line that fetched or replaced a device. */
export async function findFulfilment(
  { db }: Pick<Ports, 'db'>,
  lineId: string
): Promise<{ action: string; at: Date } | undefined> {
  const { action, performedAt, closedAt } = orderLines
  const [line] = await db
    .select({ action, performedAt, closedAt })
    .from(orderLines)
    .where(eq(orderLines.id, lineId))
  const at = line?.performedAt ?? line?.closedAt
  return line && at ? { action: line.action, at } : undefined
}
