import type { Call } from '../../platform/auth/call.js'
import { FieldErrors } from '../../platform/errors/field-errors.js'
import type { Problem } from '../../platform/errors/problem.js'
import { pointIntoPatchAt } from '../../platform/json/patch-pointers.js'
import type { PatchResultSchema } from '../../platform/json/validation.js'
import type { Ports } from '../../ports.js'
import { MAX_LINES, type OrderLinePatches, type PatchedOrderLine } from '../model/order-line.schemas.js'
import { orderLineResource } from '../model/resources.js'
import { findOrdersOfLines } from '../store/visibility.js'
import { orderProblem } from '../texts.js'
import { patchLines } from './line-patch.js'

/**
 * Applies JSON Patches to several lines of one order, all or none, as {@link patchLines}.
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
  const ids = body.map(({ line }) => lineIdOf(ports, line) ?? '')
  const errors = new FieldErrors()
  for (const [at, id] of ids.entries()) {
    if (id === '') errors.add(orderProblem('dangling-reference.orderLine', `/${at}/line`))
    else if (ids.indexOf(id) < at) errors.add(orderProblem('invalid-body.lineTwice', `/${at}/line`))
  }
  errors.check()
  const requested = body.map(({ patch }, at) => ({ id: ids[at] ?? '', patch }))
  await patchLines(ports, call, requested, schema, {
    absent: () => problemOfLines(ports, call, ids),
    locate: (found, at) => pointIntoPatchAt(`/${at}/patch`, found, body[at]?.patch ?? [])
  })
  return ids
}

const lineIdOf = ({ resourceUrls }: Pick<Ports, 'resourceUrls'>, url: string) =>
  resourceUrls.id(orderLineResource, url)

/** The ids of the lines that a body names, which may be invalid. */
export const lineIdsIn = (ports: Pick<Ports, 'resourceUrls'>, body: unknown): string[] =>
  Array.isArray(body)
    ? body.slice(0, MAX_LINES).flatMap((each) => lineIdOf(ports, String(each?.line)) ?? [])
    : []

/** The problem of lines that are not all lines of one order that the caller sees. */
async function problemOfLines({ db }: Ports, call: Call, ids: readonly string[]): Promise<Problem> {
  const orders = new Map((await findOrdersOfLines(db, ids, call)).map(({ line, order }) => [line, order]))
  const order = orders.get(ids.find((id) => orders.has(id)) ?? '')
  const errors = new FieldErrors()
  for (const [at, id] of ids.entries()) {
    if (!orders.has(id)) errors.add(orderProblem('dangling-reference.orderLine', `/${at}/line`))
    else if (orders.get(id) !== order) errors.add(orderProblem('invalid-body.otherOrder', `/${at}/line`))
  }
  // All of them have appeared since the order was read.
  if (errors.all.length === 0) errors.add(orderProblem('dangling-reference.orderLine', '/0/line'))
  return errors.toProblem()
}
