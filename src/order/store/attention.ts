import { type SQL, sql } from 'drizzle-orm'
import { inForce } from '../../agreement/lookup.js'
import { contractBuyers, contracts } from '../../agreement/tables.js'
import { quoteLiteral } from '../../db/json/serializer.js'
import type { Ports } from '../../ports.js'
import { isWithSeller, orderStatuses } from '../model/order.state.js'
import type { Side } from './visibility.js'
import { linesOf } from './visible-order.js'

/*
 * What orders wait for, derived when they are read. Only a SUBMITTED or ACCEPTED one has attention.
 */

/** What the attention of orders depends on besides them. */
interface AttentionRead {
  /** The id of the order, by which a distributed database finds the node of its lines. */
  id: SQL
  /** The time and the day; `timestamptz` and `date`. */
  now: SQL
  today: SQL
  /** The least `answerDays` of the contracts in force between the parties of an order. */
  agreedDays: SQL
}

type AttentionPorts = Pick<Ports, 'timeZone' | 'answerDays'>

const isRunning = sql.raw(
  `orders.status in (${orderStatuses.filter(isWithSeller).map(quoteLiteral).join(', ')})`
)

const fromContracts = sql`
  from ${contracts} join ${contractBuyers} on ${contractBuyers.contractId} = ${contracts.id}
  where ${contracts.answerDays} is not null`

/** Values of one order. */
export function attentionOfOrder(
  { timeZone }: AttentionPorts,
  { id, now }: { id: SQL; now: SQL }
): AttentionRead {
  const today = sql`(${now} at time zone ${sql.raw(quoteLiteral(timeZone))})::date`
  const agreedDays = sql`(
    select min(${contracts.answerDays}) ${fromContracts} and ${inForce(today)}
      and ${contracts.sellerId} = orders.seller_id and ${contractBuyers.buyerId} = orders.buyer_id)`
  return { id, now, today, agreedDays }
}

/** The values of the placeholders of {@link attentionOfList}. */
export interface AttentionValues {
  now: string
  today: string
}

export const attentionValues = (ports: Ports): AttentionValues => ({
  now: ports.now().toISOString(),
  today: ports.today()
})

/**
 * Values of the orders of a list, with placeholders. The days of all contracts of the organization
 * are read once for a statement, not for each order.
 */
export const attentionOfList = (side: Side): AttentionRead => ({
  id: sql`orders.id`,
  now: sql`${sql.placeholder('now')}::timestamptz`,
  today: sql`${sql.placeholder('today')}::date`,
  agreedDays: sql`((
    select jsonb_object_agg(seller_id || ' ' || buyer_id, days) from (
      select ${contracts.sellerId}, ${contractBuyers.buyerId}, min(${contracts.answerDays}) as days
      ${fromContracts} and ${inForce(sql.placeholder('today'))}
        and ${side === 'seller' ? contracts.sellerId : contractBuyers.buyerId}
          in (select id from parties where organization = ${sql.placeholder('organization')})
      group by 1, 2) agreed
    ) ->> (orders.seller_id || ' ' || orders.buyer_id))::int`
})

/** No order is unanswered before. */
const LEAST_DAYS = sql`interval '24 hours'`

function isUnanswered({ answerDays }: AttentionPorts, { now, agreedDays }: AttentionRead): SQL {
  const days = sql`coalesce(${agreedDays}, nullif(${sql.raw(String(answerDays))}, 0))`
  return sql`(orders.status = 'SUBMITTED' and orders.submitted_at < ${now} - ${LEAST_DAYS}
    and orders.submitted_at < ${now} - ${days} * ${LEAST_DAYS})`
}

const ofLines = ({ id }: AttentionRead) => sql`from order_lines l where ${linesOf(id)}`
const isLateLine = ({ now, today }: AttentionRead) => sql`(l.status = 'SUBMITTED'
  and coalesce(l.agreed_to < ${now}, orders.latest_delivery_date < ${today}))`
const isReturnedLine = sql`l.status = 'UNFULFILLED'`

const codeIf = (condition: SQL, code: string) =>
  sql`case when ${condition} then ${sql.raw(`',"${code}"'`)} else '' end`

/** SQL expression: the attention of an order as JSON. Reads the lines of running orders only. */
export const attentionJson = (
  ports: AttentionPorts,
  read: AttentionRead
): SQL => sql`case when ${isRunning} then '[' || substr(
  ${codeIf(isUnanswered(ports, read), 'UNANSWERED')}
  || (select ${codeIf(sql`bool_or(${isLateLine(read)})`, 'LATE')}
    || ${codeIf(sql`bool_or(${isReturnedLine})`, 'RETURNED')} ${ofLines(read)})
  || ${codeIf(sql`orders.awaiting is not null`, 'QUESTION')}, 2) || ']' else '[]' end`

/**
 * SQL expression: a text that changes with the attention of an order in the course of a day, unless
 * a write of the order changes it. Reads the lines only where a time is agreed.
 */
export const attentionByTime = (ports: AttentionPorts, read: AttentionRead): SQL => sql`(
  ${codeIf(isUnanswered(ports, read), 'UNANSWERED')}
  || case when orders.agreed_until is not null then ${attentionJson(ports, read)} else '' end)`

/** SQL condition: an order has one of some codes. */
export const hasAttention = (
  ports: AttentionPorts,
  read: AttentionRead,
  codes: SQL
): SQL => sql`(${isRunning} and (
  'UNANSWERED' = any(${codes}) and ${isUnanswered(ports, read)}
  or 'QUESTION' = any(${codes}) and orders.awaiting is not null
  or ${codes} && '{LATE,RETURNED}' and exists (select ${ofLines(read)} and (
    'LATE' = any(${codes}) and ${isLateLine(read)} or 'RETURNED' = any(${codes}) and ${isReturnedLine}))))`
