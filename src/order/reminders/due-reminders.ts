import { type SQL, sql } from 'drizzle-orm'
import { inForce } from '../../agreement/lookup.js'
import { contractBuyers, contracts } from '../../agreement/tables.js'
import type { Ports } from '../../ports.js'
import { waitsForOneOf } from '../attention.js'

/**
 * SQL table `due`: the reminders that are due for open orders and were not reported, with
 * `order_id, subject_id, kind, due_at`. A delivery is near within the lowest `reminderDays` of the
 * contracts that are in force today, until the agreed time begins.
 * @param ofOrders SQL condition on `orders`.
 */
export function dueReminders(ports: Pick<Ports, 'now' | 'today' | 'timeZone'>, ofOrders: SQL): SQL {
  const now = sql`${ports.now().toISOString()}::timestamptz`
  const today = ports.today()
  const overdue = (code: 'UNANSWERED' | 'LATE', dueAt: SQL) => sql`
    select orders.id as order_id, orders.id as subject_id, ${code}::text as kind, ${dueAt} as due_at
    from orders where ${ofOrders} and ${waitsForOneOf(sql`array[${code}]::text[]`, now)}`
  return sql`(
    select * from (
      ${overdue('UNANSWERED', sql`orders.answer_due_at`)}
      union all
      ${overdue('LATE', sql`orders.delivery_due_at`)}
      union all
      select orders.id, l.id, 'DELIVERY_DUE', agreed.day::timestamp at time zone ${ports.timeZone}
      from orders join order_lines l on l.order_id = orders.id
        cross join lateral (select (l.agreed_from at time zone ${ports.timeZone})::date as day) agreed
      where ${ofOrders} and orders.status in ('SUBMITTED', 'ACCEPTED')
        and l.status = 'SUBMITTED' and l.agreed_from >= ${now} and agreed.day - ${today}::date <= (
          select min(${contracts.reminderDays})
          from ${contracts} join ${contractBuyers} on ${contractBuyers.contractId} = ${contracts.id}
          where ${contracts.sellerId} = orders.seller_id and ${contractBuyers.buyerId} = orders.buyer_id
            and ${inForce(today)})
    ) found
    where not exists (
      select from reminders r
      where r.subject_id = found.subject_id and r.kind = found.kind and r.due_at = found.due_at)
  ) due`
}
