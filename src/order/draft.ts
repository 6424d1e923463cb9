import { newId } from '../db/unit-of-work.js'
import type { Call } from '../platform/auth/call.js'
import { addTrace, type OrderChange } from './change.js'
import type { OrderSnapshot } from './store/load-order.js'
import type { OrderRow } from './store/tables.js'

/** The columns of an order that only later changes set. */
const draftDefaults = {
  status: 'DRAFT',
  statusReasonCode: null,
  statusReasonText: null,
  submittedAt: null,
  answeredAt: null,
  deletedAt: null,
  awaiting: null,
  hasReturnedLine: false,
  answerDueAt: null,
  deliveryDueAt: null,
  revision: 0,
  traceCount: 0
} as const

type DraftColumns = Omit<OrderRow, 'id' | 'createdAt' | 'changedAt' | keyof typeof draftDefaults>

/** Begins the change that creates an order as a DRAFT. The caller adds lines to it. */
export function beginDraft(
  call: Call,
  at: Date,
  columns: DraftColumns,
  { buyer, seller }: Pick<OrderSnapshot, 'buyer' | 'seller'>
): OrderChange {
  const order: OrderRow = { ...draftDefaults, ...columns, id: newId(), createdAt: at, changedAt: at }
  const snapshot = { order, lines: [], buyer, seller, attention: [], readAt: at }
  const change: OrderChange = { call, at, until: at, snapshot, order, lines: [], traces: [] }
  addTrace(change, { code: 'order-created', supplementaryText: 'Status: DRAFT.' })
  return change
}
