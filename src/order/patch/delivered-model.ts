import { findModel } from '../../catalogue/lookup.js'
import { findOrderabilityReasons } from '../../catalogue/orderability.js'
import type { Problem } from '../../platform/errors/problem.js'
import { setLine } from '../change.js'
import { orderProblem } from '../texts.js'
import type { LinePatch } from './steps.js'

/**
 * Delivers another model of the seller than the ordered one, which the provider may report in the
 * JSON Patch that fulfils the line. The device stores whether the buyer could have ordered the
 * model. The response does not depend on it, because a black list is about the patient. Returns
 * `dangling-reference`.
 */
export async function changeDeliveredModel(patch: LinePatch): Promise<Problem | undefined> {
  const { ports, change, line, before, after, transition } = patch
  const url = after.device?.item
  const isDelivery = transition?.to === 'FULFILLED' && change.call.caller.userType === 'Provider'
  if (url == null || before.device || !isDelivery) return undefined
  const model = await findModel(ports, change.order.sellerId, url)
  if (!model) return orderProblem('dangling-reference.model', '/device/item')
  if (model.id === (line.modelId ?? line.relatedDevice?.itemId)) return undefined
  const reasons = await findOrderabilityReasons(ports, change.order, [model.id])
  setLine(change, line.id, { otherModel: { ...model, isOrderable: reasons.length === 0 } })
  return undefined
}
