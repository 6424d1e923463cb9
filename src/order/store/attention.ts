import { type SQL, sql } from 'drizzle-orm'
import { inForce } from '../../agreement/lookup.js'
import { contractBuyers, contracts } from '../../agreement/tables.js'
import { quoteLiteral } from '../../db/json/serializer.js'
import type { Ports } from '../../ports.js'
import type { AnswerTerm } from '../model/attention.js'
import { isWithSeller, orderStatuses } from '../model/order.state.js'
import type { Side } from './visibility.js'

/*
 * The attention of the orders of a list, as SQL. `model/attention.ts` derives that of one order.
 */

/** Values of the statements of lists. */
export interface AttentionValues {
  now: string
  today: string
  answerDays: number
}

export const attentionValues = (ports: Ports): AttentionValues => ({
  now: ports.now().toISOString(),
  today: ports.today(),
  answerDays: ports.answerDays
})

const now = sql`${sql.placeholder('now')}::timestamptz`
const today = sql`${sql.placeholder('today')}::date`

const isRunning = sql.raw(
  `orders.status in (${orderStatuses.filter(isWithSeller).map(quoteLiteral).join(', ')})`
)

const fromContracts = sql`
  from ${contracts} join ${contractBuyers} on ${contractBuyers.contractId} = ${contracts.id}
  where ${contracts.answerDays} is not null`

/** SQL expression: the contracts of an order without an answer, as JSON of `AnswerTerm`s. */
export const answerTerms = sql<AnswerTerm[]>`coalesce((
  select json_agg(json_build_array(${contracts.firstDay}, ${contracts.lastDay}, ${contracts.answerDays}))
    ${fromContracts} and orders.status = 'SUBMITTED' and ${contracts.sellerId} = orders.seller_id
    and ${contractBuyers.buyerId} = orders.buyer_id), '[]')`

/**
 * SQL expression: the least `answerDays` of the contracts in force between the parties of an order.
 * Those of all contracts of the organization are read once for a statement, not for each order.
 */
const agreedDays = (side: Side): SQL => sql`((
  select jsonb_object_agg(seller_id || ' ' || buyer_id, days) from (
    select ${contracts.sellerId}, ${contractBuyers.buyerId}, min(${contracts.answerDays}) as days
    ${fromContracts} and ${inForce(sql.placeholder('today'))}
      and ${side === 'seller' ? contracts.sellerId : contractBuyers.buyerId}
        in (select id from parties where organization = ${sql.placeholder('organization')})
    group by 1, 2) agreed
  ) ->> (orders.seller_id || ' ' || orders.buyer_id))::int`

/** No order is unanswered before. */
const LEAST_DAYS = sql`interval '24 hours'`

const isUnanswered = (side: Side): SQL => {
  const days = sql`coalesce(${agreedDays(side)}, nullif(${sql.placeholder('answerDays')}::int, 0))`
  return sql`(orders.status = 'SUBMITTED' and orders.submitted_at < ${now} - ${LEAST_DAYS}
    and orders.submitted_at < ${now} - ${days} * ${LEAST_DAYS})`
}

const ofLines = sql`from order_lines l where l.order_id = orders.id and l.deleted_at is null`
const isLateLine = sql`(l.status = 'SUBMITTED'
  and coalesce(l.agreed_to < ${now}, orders.latest_delivery_date < ${today}))`
const isReturnedLine = sql`l.status = 'UNFULFILLED'`

const codeIf = (condition: SQL, code: string) =>
  sql`case when ${condition} then ${sql.raw(`',"${code}"'`)} else '' end`

/** SQL expression: the attention of an order as JSON. Reads the lines of running orders only. */
export const attentionJson = (side: Side): SQL => sql`case when ${isRunning} then '[' || substr(
  ${codeIf(isUnanswered(side), 'UNANSWERED')}
  || (select ${codeIf(sql`bool_or(${isLateLine})`, 'LATE')}
    || ${codeIf(sql`bool_or(${isReturnedLine})`, 'RETURNED')} ${ofLines})
  || ${codeIf(sql`orders.awaiting is not null`, 'QUESTION')}, 2) || ']' else '[]' end`

/** SQL condition: an order has one of some codes. */
export const hasAttention = (side: Side, codes: SQL): SQL => sql`(${isRunning} and (
  'UNANSWERED' = any(${codes}) and ${isUnanswered(side)}
  or 'QUESTION' = any(${codes}) and orders.awaiting is not null
  or ${codes} && '{LATE,RETURNED}' and exists (select ${ofLines} and (
    'LATE' = any(${codes}) and ${isLateLine} or 'RETURNED' = any(${codes}) and ${isReturnedLine}))))`
