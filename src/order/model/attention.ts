import type { OrderStatus } from './order.state.js'
import { isWithSeller } from './order.state.js'
import type { LineStatus } from './order-line.state.js'

/*
 * What an order waits for, derived when it is read. Lists derive the same in PostgreSQL: see
 * `store/attention.ts`.
 */

/** The codes of the value set order-attention, in the order of responses. */
export const attentionCodes = ['UNANSWERED', 'LATE', 'RETURNED', 'QUESTION'] as const
export type Attention = (typeof attentionCodes)[number]

/** What the attention of an order depends on. */
export interface AttentionFacts {
  status: OrderStatus
  submittedAt: Date | null
  awaiting: string | null
  latestDeliveryDate: string | null
  lines: readonly { status: LineStatus; agreedTo: Date | null }[]
  /** The contracts between its parties that say after how many days it is unanswered. */
  answerTerms: readonly AnswerTerm[]
}

/** A contract's `answerDays`, and its first and last day. */
export type AnswerTerm = readonly [firstDay: string, lastDay: string, days: number]

/** The time, and what is configured for all orders. */
interface Clock {
  now(): Date
  today(): string
  answerDays: number
}

/** Derives the attention of an order. Only a SUBMITTED or ACCEPTED one has any. */
export function attentionOf(clock: Clock, facts: AttentionFacts): Attention[] {
  if (!isWithSeller(facts.status)) return []
  const holds = {
    UNANSWERED: isUnanswered(clock, facts),
    LATE: isLate(clock, facts),
    RETURNED: facts.lines.some(({ status }) => status === 'UNFULFILLED'),
    QUESTION: facts.awaiting !== null
  }
  return attentionCodes.filter((code) => holds[code])
}

function isUnanswered(clock: Clock, { status, submittedAt, answerTerms }: AttentionFacts): boolean {
  if (status !== 'SUBMITTED' || submittedAt === null) return false
  const today = answerTerms.length > 0 ? clock.today() : ''
  const agreed = answerTerms.flatMap(([first, last, days]) => (first <= today && today <= last ? [days] : []))
  const days = agreed.length > 0 ? Math.min(...agreed) : clock.answerDays
  return days > 0 && submittedAt.getTime() + days * DAY_MS < clock.now().getTime()
}

const DAY_MS = 86_400_000

const isLate = (clock: Clock, { latestDeliveryDate, lines }: AttentionFacts): boolean =>
  lines.some(
    ({ status, agreedTo }) =>
      status === 'SUBMITTED' &&
      (agreedTo === null
        ? latestDeliveryDate !== null && latestDeliveryDate < clock.today()
        : agreedTo < clock.now())
  )
