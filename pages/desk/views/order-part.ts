import type { Order, OrderLine, PatchOf, TraceLine } from '../../../clients/typescript/src/index.js'
import { textOf } from '../../parts/actions.js'
import { isConflict } from '../../parts/errors.js'
import type { Expanded } from '../resource-texts.js'
import { useSession } from '../session.js'

/** The properties of the parts of an order's view. */
export interface OrderPart {
  order: Order
  orderLines: readonly OrderLine[]
  traceLines: readonly TraceLine[]
  expanded: Expanded
  /** The version of the order that the page shows. */
  etag: string | undefined
  /** Reads the order again after a change. */
  reload(): void
}

type LinePatch = (id: string) => readonly PatchOf<OrderLine>[]

/** The functions that change an order and its lines, and read it again, also after a conflict. */
export function useChanges({ order, etag, reload }: OrderPart) {
  const api = useSession().client.order
  const reloading = (change: Promise<unknown>, isOutdated = isConflict) =>
    change.then(reload, (error: unknown) => {
      if (isOutdated(error)) reload()
      throw error
    })
  async function eachLine(ids: readonly string[], patchOf: LinePatch) {
    for (const id of ids) await api.patchOrderLine(id, patchOf(id))
  }
  return {
    changeOrder: (...patch: PatchOf<Order>[]) => reloading(api.patchOrder(order.id, patch)),
    /** Writes members of the order, unless it has changed since the page read it. */
    correctOrder: (patch: readonly PatchOf<Order>[]) =>
      reloading(api.patchOrder(order.id, patch, etag === undefined ? {} : { ifMatch: etag })),
    changeLine: (id: string, ...patch: PatchOf<OrderLine>[]) => reloading(api.patchOrderLine(id, patch)),
    /** Changes lines one after the other. */
    changeLines: (ids: readonly string[], patchOf: LinePatch) =>
      // The first ones may be changed when a later one is refused.
      reloading(eachLine(ids, patchOf), () => true)
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
