import {
  type Order,
  type OrderLine,
  type PatchOf,
  ProblemError,
  type TraceLine
} from '../../../clients/typescript/src/index.js'
import { textOf } from '../../parts/actions.js'
import { withPaths } from '../../parts/errors.js'
import { showToast } from '../../parts/toasts.js'
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
  /** Shows that the state has changed meanwhile: what the user pressed may be gone then. */
  onConflict(error: unknown): void
}

type LinePatch = (line: OrderLine) => readonly PatchOf<OrderLine>[]

/**
 * The functions that change an order and its lines. Whatever the outcome, the page then shows what
 * is stored, and what is typed stays.
 */
export function useChanges({ order, etag, reload, onConflict }: OrderPart) {
  const api = useSession().client.order
  async function change(done: string, work: () => Promise<unknown>): Promise<void> {
    onConflict(undefined)
    try {
      await work()
      showToast(`✓ ${done}`)
    } catch (error) {
      if (isStale(error)) onConflict(error)
      throw error
    } finally {
      reload()
      for (const key of ['orders', order.id]) tellChange(key)
    }
  }
  const patchOrder = (patch: readonly PatchOf<Order>[], options = {}) =>
    api.patchOrder(order.id, patch, options).catch((error: unknown) => {
      throw withPaths(error, patch)
    })
  return {
    change,
    changeOrder: (done: string, ...patch: PatchOf<Order>[]) => change(done, () => patchOrder(patch)),
    /** Writes members of the order, unless it has changed since the page read it. */
    correctOrder: (done: string, patch: readonly PatchOf<Order>[]) =>
      change(done, () => patchOrder(patch, etag === undefined ? {} : { ifMatch: etag })),
    /** Changes lines one after the other. An error names the fields of its line. */
    changeLines: (done: string, lines: readonly OrderLine[], patchOf: LinePatch) =>
      change(done, async () => {
        for (const line of lines) {
          const patch = patchOf(line)
          if (patch.length === 0) continue
          await api.patchOrderLine(line.id, patch).catch((error: unknown) => {
            throw withPaths(
              error,
              patch.map(({ path }) => ({ path: path.startsWith('/device/') ? `${path}-${line.id}` : path }))
            )
          })
        }
      })
  }
}

/** Whether the order or a line had another status than the page showed. */
const isStale = (error: unknown) => error instanceof ProblemError && error.status === 409

/** Throws an error again, unless the view shows it as a conflict. */
export function throwUnlessConflict(error: unknown): void {
  if (!isStale(error)) throw error
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

/** Whether a line is not closed yet. */
export const isOpen = ({ status }: OrderLine): boolean =>
  status.code === 'SUBMITTED' || status.code === 'UNFULFILLED'

/** Whether a line delivers a device, which has numbers. */
export const delivers = ({ action }: OrderLine): boolean =>
  action.code === 'DELIVER' || action.code === 'REPLACE'

/** The question to ask before devices without numbers are marked as done; undefined without any. */
export const numbersQuestion = (
  count: number
): readonly ['numberMissing' | 'numbersMissing', number] | undefined =>
  count === 0 ? undefined : [count === 1 ? 'numberMissing' : 'numbersMissing', count]
