import { NIL } from 'uuid'
import type { Call } from '../../platform/auth/call.js'
import { FieldErrors } from '../../platform/errors/field-errors.js'
import { pointIntoPatchAt } from '../../platform/json/point-into-patch.js'
import type { PatchResultSchema } from '../../platform/json/validation.js'
import { formUnlessIn } from '../../platform/urls/resource-urls.js'
import type { Ports } from '../../ports.js'
import { orderLineProblem } from '../line.texts.js'
import { MAX_LINES, type OrderLinePatches, type PatchedOrderLine } from '../model/order-line.schemas.js'
import { orderLineResource } from '../model/resources.js'
import { findOrdersOfLines } from '../store/find-order.js'
import { patchLines } from './line-patch.js'

/**
 * Applies JSON Patches to several lines of one order, like {@link patchLines}.
 * @returns the ids of the lines, in the order of the body.
 * @throws Problem `invalid-body` for a line that occurs twice and for lines of several orders,
 *   `dangling-reference`, and those of {@link patchLines} with pointers into the body.
 */
export async function patchOrderLines(
  ports: Ports,
  call: Call,
  body: OrderLinePatches,
  schema: PatchResultSchema<PatchedOrderLine>
): Promise<string[]> {
  const ids = lineIdsIn(ports, body)
  const found = await findOrdersOfLines(ports.db, ids, call)
  const orders = new Map(found.map(({ line, order }) => [line, order]))
  const order = orders.get(ids.find((id) => orders.has(id)) ?? NIL)
  const errors = new FieldErrors()
  for (const [at, id] of ids.entries()) {
    const pointer = `/${at}/line`
    if (!orders.has(id)) {
      const form = formUnlessIn(ports.resourceUrls, orderLineResource, body[at]?.line ?? '')
      errors.add(orderLineProblem('dangling-reference.orderLine', pointer, { form }))
    } else if (orders.get(id) !== order || ids.indexOf(id) < at)
      errors.add(orderLineProblem('invalid-body.otherLines', pointer))
  }
  errors.check()
  const requested = body.map(({ patch }, at) => ({ id: ids[at] ?? NIL, patch }))
  await patchLines(ports, call, requested, schema, (problem, at) =>
    pointIntoPatchAt(`/${at}/patch`, problem, body[at]?.patch ?? [])
  )
  return ids
}

/** The ids of the lines that a body names, which may be invalid. */
export const lineIdsIn = ({ resourceUrls }: Pick<Ports, 'resourceUrls'>, body: unknown): string[] =>
  Array.isArray(body)
    ? body.slice(0, MAX_LINES).map((each) => resourceUrls.id(orderLineResource, String(each?.line)) ?? NIL)
    : []
