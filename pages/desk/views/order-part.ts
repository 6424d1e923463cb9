import {
  type CatalogueItem,
  type Order,
  type OrderLine,
  type PatchOf,
  ProblemError,
  type TraceLine
} from '../../../clients/typescript/src/index.js'
import { textOf } from '../../parts/actions.js'
import { throwNamed } from '../../parts/errors.js'
import { showToast } from '../../parts/toasts.js'
import { deskText } from '../desk-texts.js'
import { tellChange } from '../refresh.js'
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
  /** Shows that the state has changed meanwhile, because the pressed button may be gone. */
  onConflict(error: unknown): void
}

/** Maximum number of lines that one request can change. */
const MAX_LINES = 100

type LinePatch = (line: OrderLine) => readonly PatchOf<OrderLine>[]

/**
 * The functions that change an order and its lines. After any outcome the page shows the stored
 * order, and typed content stays.
 */
export function useChanges({ order, etag, reload, onConflict }: OrderPart) {
  const { client, urlOf } = useSession()
  const api = client.order
  async function change(done: string, work: () => Promise<unknown>): Promise<void> {
    onConflict(undefined)
    try {
      await work()
      showToast(`✓ ${done}`)
    } finally {
      reload()
      tellChange(order.id)
    }
  }
  const patchOrder = (patch: readonly PatchOf<Order>[], options = {}) =>
    api.patchOrder(order.id, patch, options).catch(throwNamed(([at]) => patch[Number(at)]?.path))
  return {
    change,
    changeOrder: (done: string, ...patch: PatchOf<Order>[]) => change(done, () => patchOrder(patch)),
    /** Writes members of the order, unless it has changed since the page read it. */
    correctOrder: (done: string, patch: readonly PatchOf<Order>[]) =>
      change(done, () => patchOrder(patch, { ifMatch: etag })),
    /** Changes all lines of a request or none. An error names the fields of its line. */
    changeLines: (done: string, lines: readonly OrderLine[], patchOf: LinePatch) =>
      change(done, async () => {
        const changed = lines.filter((line) => patchOf(line).length > 0)
        for (let start = 0; start < changed.length; start += MAX_LINES) {
          const some = changed.slice(start, start + MAX_LINES)
          const body = some.map((line) => ({ line: urlOf.line(line), patch: patchOf(line) }))
          const fieldOf = ([at, , operation]: readonly string[]) => {
            const path = body[Number(at)]?.patch[Number(operation)]?.path
            const isNumber = path?.startsWith('/device/') && path !== '/device/endReason'
            return isNumber ? `${path}-${some[Number(at)]?.id}` : path
          }
          await api.patchOrderLines(body).catch(throwNamed(fieldOf))
        }
      })
  }
}

/** Whether the order or a line had another status than the page showed. */
const isStale = (error: unknown) => error instanceof ProblemError && error.status === 409

/** Rethrows any error except a conflict. */
export function throwUnlessConflict(error: unknown): void {
  if (!isStale(error)) throw error
}

/** Shows the conflict of a button without a dialog in the view: the button may be removed. */
export const showConflict =
  ({ onConflict }: OrderPart) =>
  (error: unknown) => {
    throwUnlessConflict(error)
    onConflict(error)
  }

/** The operation of a JSON Patch that requests a transition. */
export const transitionTo = <C extends string>(value: C) =>
  ({ op: 'replace', path: '/status/code', value }) as const

/** The operation that adds the reason in a form to a transition. */
export const reasonIn = (data: FormData) =>
  ({
    op: 'add',
    path: '/statusReason',
    value: {
      code: textOf(data, 'code') as NonNullable<NonNullable<Order['statusReason']>['code']>['code'] | null,
      text: textOf(data, 'text')
    }
  }) as const

/** Whether a line is open. */
export const isOpen = ({ status }: OrderLine): boolean =>
  status.code === 'SUBMITTED' || status.code === 'UNFULFILLED'

/** Whether a line is ordered or done. */
export const isDeliverable = ({ status }: OrderLine): boolean =>
  status.code === 'SUBMITTED' || status.code === 'FULFILLED'

/** Whether a line delivers a device, which has numbers. A service without a model delivers none. */
export const delivers =
  (expanded: Expanded) =>
  ({ action, item, relatedDevice }: OrderLine): boolean => {
    const { catalogueItemType, relatedTo } = (expanded[item] ?? {}) as Partial<CatalogueItem>
    const hasModel = catalogueItemType === 'DeviceModel' || !!relatedTo || !!relatedDevice
    return hasModel && (action.code === 'DELIVER' || action.code === 'REPLACE')
  }

/**
 * The question before devices without numbers are marked as done; undefined if all have numbers.
 */
export const numbersQuestion = (count: number): string | undefined =>
  count === 0 ? undefined : deskText(count === 1 ? 'numberMissing' : 'numbersMissing', { count })
