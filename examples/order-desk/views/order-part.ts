import type { Order, OrderLine, PatchOf, TraceLine } from '../../../clients/typescript/src/index.js'
import { textOf } from '../../../pages/parts/actions.js'
import type { Expanded } from '../resource-texts.js'
import { useSession } from '../session.js'

/** The properties of the parts of an order's view. */
export interface OrderPart {
  order: Order
  orderLines: readonly OrderLine[]
  traceLines: readonly TraceLine[]
  expanded: Expanded
  /** Reads the order again after a change. */
  reload(): void
}

/** The functions that change an order and its lines, and read it again. */
export function useChanges({ order, reload }: OrderPart) {
  const api = useSession().client.order
  return {
    changeOrder: (...patch: PatchOf<Order>[]) => api.patchOrder(order.id, patch).then(reload),
    changeLine: (id: string, ...patch: PatchOf<OrderLine>[]) => api.patchOrderLine(id, patch).then(reload)
  }
}

/** The operation of a JSON Patch that moves to a status. */
export const moveTo = <C extends string>(value: C) =>
  ({ op: 'replace', path: '/status/code', value }) as const

/** The operation that adds the reason in a form to a move. */
export const reasonIn = (data: FormData) =>
  ({
    op: 'add',
    path: '/statusReason',
    value: {
      code: textOf(data, 'code') as NonNullable<NonNullable<Order['statusReason']>['code']>['code'] | null,
      text: textOf(data, 'text')
    }
  }) as const
