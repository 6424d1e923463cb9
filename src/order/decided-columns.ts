import { and, eq, min } from 'drizzle-orm'
import { inForce } from '../agreement/lookup.js'
import { contractBuyers, contracts } from '../agreement/tables.js'
import { instantAfterDay } from '../platform/dates/calendar-date.js'
import type { Ports } from '../ports.js'
import { isClosed, isOpen, isWithSeller } from './model/states.js'
import type { OrderSnapshot, SnapshotLine } from './store/load-order.js'
import type { OrderRow } from './store/tables.js'

type AnswerPorts = Pick<Ports, 'db' | 'today' | 'answerDays'>

type OrderWithLines = Pick<OrderSnapshot, 'order' | 'lines'>

/**
 * Sets the columns that follow from a change: the ordered items, when lines were closed and the
 * order was answered, and when the order becomes unanswered or late. The times of a closed order
 * stay.
 * @param at the time of the change.
 */
export async function withDecidedColumns(
  ports: AnswerPorts & Pick<Ports, 'timeZone'>,
  before: OrderWithLines,
  { order, lines }: OrderWithLines,
  at: Date
): Promise<OrderWithLines> {
  const isSubmission = before.order.submittedAt === null && order.submittedAt !== null
  const isAnswer = before.order.status === 'SUBMITTED' && answers.includes(order.status)
  const wasOpen = new Set(before.lines.flatMap(({ id, status }) => (isOpen(status) ? id : [])))
  const decided = lines.map((line) => {
    const isClosing = wasOpen.has(line.id) && !isOpen(line.status)
    if (!isClosing && !isSubmission) return line
    return {
      ...line,
      ...(isClosing && { closedAt: at }),
      ...(isSubmission && line.deletedAt === null && { orderedItem: line.item })
    }
  })
  const hasReturnedLine = isWithSeller(order.status) && decided.some(({ status }) => status === 'UNFULFILLED')
  const { deliveryDueAt: wasDueAt } = before.order
  return {
    order: {
      ...order,
      ...(isSubmission && { answerDueAt: await answerDueAt(ports, order) }),
      ...(isAnswer && { answeredAt: at }),
      ...(!isClosed(order.status) && { deliveryDueAt: deliveryDueAt(order, decided, ports.timeZone) }),
      hasReturnedLine,
      wasReturned: order.wasReturned || hasReturnedLine,
      wasLate: order.wasLate || (isWithSeller(before.order.status) && wasDueAt !== null && wasDueAt < at)
    },
    lines: decided
  }
}

/** The statuses with which a seller answers a submitted order. */
const answers: readonly string[] = ['ACCEPTED', 'REJECTED', 'FULFILLED']

const DAY_MS = 24 * 3_600_000

/**
 * The time when an order that is submitted today becomes unanswered: after the lowest `answerDays`
 * of the contracts in force between its parties or, without such a contract, after the days of the
 * setting. No order is unanswered before a day has passed. Null: never.
 */
async function answerDueAt(
  { db, today, answerDays }: AnswerPorts,
  { buyerId, sellerId, submittedAt }: Pick<OrderRow, 'buyerId' | 'sellerId' | 'submittedAt'>
): Promise<Date | null> {
  const [agreed] = await db
    .select({ days: min(contracts.answerDays) })
    .from(contracts)
    .innerJoin(contractBuyers, eq(contractBuyers.contractId, contracts.id))
    .where(and(eq(contracts.sellerId, sellerId), eq(contractBuyers.buyerId, buyerId), inForce(today())))
  const days = agreed?.days ?? (answerDays === 0 ? null : answerDays)
  if (submittedAt === null || days === null) return null
  return new Date(submittedAt.getTime() + DAY_MS * Math.max(days, 1))
}

/**
 * The first time at which a SUBMITTED line becomes late: the end of its agreed time or, without
 * one, the end of the latest delivery date.
 */
function deliveryDueAt(order: OrderRow, lines: readonly SnapshotLine[], timeZone: string): Date | null {
  const { latestDeliveryDate, status } = order
  if (!isWithSeller(status)) return null
  const wished = () => (latestDeliveryDate === null ? null : instantAfterDay(latestDeliveryDate, timeZone))
  const times = lines
    .filter((line) => line.status === 'SUBMITTED' && line.deletedAt === null)
    .map(({ agreedTo }) => agreedTo ?? wished())
    .filter((time) => time !== null)
  return times.length === 0 ? null : new Date(Math.min(...times.map(Number)))
}
