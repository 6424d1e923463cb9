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

/** The least value of the contracts in force between the parties of an order `o`. */
const leastOf = (column: SQL, today: string) => sql`(
  select min(${column}) from ${contracts} join contract_buyers b on b.contract_id = ${contracts.id}
  where ${contracts.sellerId} = o.seller_id and b.buyer_id = o.buyer_id and ${inForce(today)})`

/** Orders of a buyer with a status, so that `orders_buyer_status_idx` finds them. */
const ordersOf = (buyer: string, statuses: string) => sql`
  o.buyer_id = ${buyer} and o.status in (${sql.raw(statuses)}) and o.deleted_at is null`

/**
 * Finds the reminders that are due for the running orders of a buyer, also those that were
 * reported. In a distributed database each statement joins orders with their lines and copied
 * tables only.
 */
export async function findDueReminders(ports: Ports, buyer: string): Promise<DueReminder[]> {
  const { db, timeZone, answerDays } = ports
  const today = ports.today()
  const now = sql`${ports.now().toISOString()}::timestamptz`
  const midnight = (day: SQL) => sql`${day}::timestamp at time zone ${timeZone}`
  const find = (kind: DueReminder['kind'], due: SQL, condition: SQL) =>
    db.execute<DueReminder & Record<string, unknown>>(sql`
      select "orderId", revision, "subjectId", ${kind}::text as kind, ${isoTime(sql`"dueAt"`)} as "dueAt"
      from (${due}) due where ${condition}`)

  const unanswered = await find(
    'UNANSWERED',
    sql`select o.id as "orderId", o.revision, o.id as "subjectId", o.submitted_at + interval '24 hours' *
        coalesce(${leastOf(sql`${contracts.answerDays}`, today)}, nullif(${answerDays}::int, 0)) as "dueAt"
      from orders o where ${ordersOf(buyer, `'SUBMITTED'`)}`,
    sql`"dueAt" < ${now}`
  )
  const lines = (columns: SQL) => sql`
    select o.id as "orderId", o.revision, ${columns}
    from orders o join order_lines l on l.order_id = o.id
    where ${ordersOf(buyer, `'SUBMITTED', 'ACCEPTED'`)} and l.status = 'SUBMITTED' and l.deleted_at is null`
  const late = await find(
    'LATE',
    lines(sql`o.id as "subjectId",
      coalesce(l.agreed_to, ${midnight(sql`(o.latest_delivery_date + 1)`)}) as "dueAt"`),
    sql`"dueAt" < ${now}`
  )
  const agreedDay = sql`(l.agreed_from at time zone ${timeZone})::date`
  const deliveries = await find(
    'DELIVERY_DUE',
    lines(sql`l.id as "subjectId", ${midnight(agreedDay)} as "dueAt",
      case when l.agreed_from is not null
        then ${agreedDay} - ${leastOf(sql`${contracts.reminderDays}`, today)} end as "remindedFrom"`),
    sql`"remindedFrom" <= ${today}::date`
  )
  return [...unanswered, ...late, ...deliveries]
}
