import { sql } from 'drizzle-orm'
import type { Ports } from '../../ports.js'

/** Contracts that ended longer ago are not reported any more. */
const MAX_MISSED_DAYS = 90

/**
 * Records an event for each contract that ends within its reminder days, once for each contract and
 * last day. Instances that run it at the same time wait for each other's rows, and find them
 * reported. What was missed while no instance ran is recorded later.
 */
export async function reportExpiringContracts({ db, today }: Pick<Ports, 'db' | 'today'>): Promise<void> {
  await db.execute(sql`
    with due as (
      update contracts set expiry_reported = last_day, event_count = event_count + 1
      where reminder_days is not null and last_day - reminder_days <= ${today()}::date
        and last_day >= ${today()}::date - ${MAX_MISSED_DAYS}::int and expiry_reported is distinct from last_day
      returning id, event_count
    )
    insert into events (time, id, type, change, subject_id, owner_id, sequence, is_of_draft)
    select now(), gen_random_uuid(), 'contract.expiring', 'changed', id, id, event_count, false from due`)
}
