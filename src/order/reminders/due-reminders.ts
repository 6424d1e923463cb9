import { type SQL, sql } from 'drizzle-orm'
import { inForce } from '../../agreement/lookup.js'
import { contracts } from '../../agreement/tables.js'
import { isoTime } from '../../db/sql/iso-time.js'
import type { Ports } from '../../ports.js'
import type { reminders } from './tables.js'

/** A reminder that is due, of an order or one of its lines. */
export interface DueReminder extends Pick<typeof reminders.$inferSelect, 'subjectId' | 'kind'> {
  orderId: string
  /** The revision of the order for which it is due. */
  revision: number
  dueAt: string
}

/**
 * Finds the reminders that are due for the running orders of a buyer, also those that were
 * reported. The orders are found in `orders_buyer_status_idx`. In a distributed database each
 * statement joins orders with their lines and with copied tables only.
 */
export async function findDueReminders(ports: Ports, buyer: string): Promise<DueReminder[]> {
  const { db, timeZone, answerDays } = ports
  const today = ports.today()
  const now = sql`${ports.now().toISOString()}::timestamptz`
  const midnight = (day: SQL) => sql`(${day}::timestamp at time zone ${timeZone})`
  const agreedDay = sql`(l.agreed_from at time zone ${timeZone})::date`
  const isRunning = sql`o.buyer_id = ${buyer} and o.status in ('SUBMITTED', 'ACCEPTED')
    and o.deleted_at is null`
  const isSubmittedLine = sql`l.order_id = o.id and l.status = 'SUBMITTED' and l.deleted_at is null`
  /** For each seller the least days of the contracts in force with the buyer. */
  const terms = sql`(
    select ${contracts.sellerId}, min(${contracts.answerDays}) as answer_days,
      min(${contracts.reminderDays}) as reminder_days
    from ${contracts} join contract_buyers b on b.contract_id = ${contracts.id}
    where b.buyer_id = ${buyer} and ${inForce(today)} group by 1) terms`
  const find = (kind: DueReminder['kind'], subject: SQL, due: SQL, from: SQL) =>
    db.execute<DueReminder & Record<string, unknown>>(sql`
      select o.id as "orderId", o.revision, ${subject} as "subjectId", ${kind}::text as kind,
        ${isoTime(due)} as "dueAt" ${from}`)

  const waitingDays = sql`coalesce(terms.answer_days, nullif(${answerDays}::int, 0))`
  const answerDue = sql`(o.submitted_at + interval '24 hours' * ${waitingDays})`
  const unanswered = await find(
    'UNANSWERED',
    sql`o.id`,
    answerDue,
    sql`from orders o left join ${terms} on terms.seller_id = o.seller_id
      where ${isRunning} and o.status = 'SUBMITTED' and ${answerDue} < ${now}`
  )
  const deliveryDue = sql`coalesce(l.agreed_to, ${midnight(sql`(o.latest_delivery_date + 1)`)})`
  const late = await find(
    'LATE',
    sql`o.id`,
    deliveryDue,
    sql`from orders o join order_lines l on ${isSubmittedLine} where ${isRunning} and ${deliveryDue} < ${now}`
  )
  const near = await find(
    'DELIVERY_DUE',
    sql`l.id`,
    midnight(agreedDay),
    sql`from orders o join ${terms} on terms.seller_id = o.seller_id join order_lines l on ${isSubmittedLine}
      where ${isRunning} and ${agreedDay} - terms.reminder_days <= ${today}::date`
  )
  return [...unanswered, ...late, ...near]
}
