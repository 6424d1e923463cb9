import { findModel } from '../../catalogue/lookup.js'
import { findOrderabilityReasons } from '../../catalogue/orderability.js'
import { itemResource } from '../../catalogue/resources.js'
import type { Problem } from '../../platform/errors/problem.js'
import { formUnlessIn } from '../../platform/urls/resource-urls.js'
import { setLine } from '../change.js'
import { orderLineProblem } from '../line.texts.js'
import { orderProblem } from '../texts.js'
import type { LinePatch } from './steps.js'

/**
 * Records when a line was carried out and who received the delivery, which the provider may report
 * in the JSON Patch that fulfils the line. Returns `not-your-move`, `read-only` and
 * `invalid-period`.
 */
export function changePerformance(patch: LinePatch): Problem | undefined {
  const { change, line, after } = patch
  const performedAt = after.performedAt == null ? null : new Date(after.performedAt)
  const receivedBy = after.receivedBy ?? null
  const isSameTime = performedAt?.getTime() === line.performedAt?.getTime()
  if (isSameTime && receivedBy === line.receivedBy) return undefined
  const problem = forbiddenChange(patch, isSameTime ? '/receivedBy' : '/performedAt')
  if (problem) return problem
  setLine(change, line.id, { performedAt, receivedBy })
  return timeProblem(patch, performedAt)
}

function forbiddenChange({ change, transition }: LinePatch, pointer: string): Problem | undefined {
  if (change.call.caller.userType !== 'Provider')
    return orderProblem('not-your-move.member', pointer, { userType: 'Provider' })
  return transition?.to === 'FULFILLED' ? undefined : orderLineProblem('read-only.performance', pointer)
}

function timeProblem({ change }: LinePatch, performedAt: Date | null): Problem | undefined {
  const { submittedAt } = change.order
  if (performedAt === null || submittedAt === null) return undefined
  const isValid = performedAt >= submittedAt && performedAt <= change.at
  return isValid ? undefined : orderLineProblem('invalid-period.performedAt', '/performedAt')
}

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
  if (!model) {
    const form = formUnlessIn(ports.resourceUrls, itemResource, url)
    return orderLineProblem('dangling-reference.model', '/device/item', { form })
  }
  if (model.id === (line.modelId ?? line.relatedDevice?.itemId)) return undefined
  const reasons = await findOrderabilityReasons(ports, change.order, [model.id])
  setLine(change, line.id, { otherModel: { ...model, isOrderable: reasons.length === 0 } })
  return undefined
}
