import { type SQL, sql } from 'drizzle-orm'
import { type Attention, attentionCodes, isWithSeller, type OrderStatus } from './model/states.js'
import type { OrderRow } from './store/tables.js'

/*
 * The attention of an open order: a comparison of stored columns with the clock, for one row and as
 * an SQL condition. A test compares both forms.
 */

export type AttentionColumns = Pick<
  OrderRow,
  'status' | 'answerDueAt' | 'deliveryDueAt' | 'hasReturnedLine' | 'awaiting'
>

/** The attention codes of an order at a time; empty unless the order is open. */
export function attentionOf(order: AttentionColumns, now: Date): Attention[] {
  const { status, answerDueAt, deliveryDueAt, hasReturnedLine, awaiting } = order
  if (!isWithSeller(status as OrderStatus)) return []
  const waits: Record<Attention, boolean> = {
    UNANSWERED: status === 'SUBMITTED' && answerDueAt !== null && answerDueAt < now,
    LATE: deliveryDueAt !== null && deliveryDueAt < now,
    RETURNED: hasReturnedLine,
    QUESTION: awaiting !== null
  }
  return attentionCodes.filter((code) => waits[code])
}

/**
 * SQL condition: an open order has one of these codes.
 * @param codes an array of texts.
 * @param now a `timestamptz`.
 */
export const waitsForOneOf = (
  codes: SQL,
  now: SQL
): SQL => sql`(orders.status in ('SUBMITTED', 'ACCEPTED') and (
  'UNANSWERED' = any(${codes}) and orders.status = 'SUBMITTED' and orders.answer_due_at < ${now}
  or 'LATE' = any(${codes}) and orders.delivery_due_at < ${now}
  or 'RETURNED' = any(${codes}) and orders.has_returned_line
  or 'QUESTION' = any(${codes}) and orders.awaiting is not null))`
