import { sql } from 'drizzle-orm'
import { withBackgroundTransaction } from '../../db/unit-of-work.js'
import { insertEvents, newEvent } from '../../ledger/insert.js'
import type { Ports } from '../../ports.js'

/** Contracts that ended longer ago are not reported any more. */
const MAX_MISSED_DAYS = 90

/**
 * Records an event for each contract that ends within its reminder days, once for each contract and
 * last day. Instances that run it at the same time wait for each other's rows, and find them
 * reported. What was missed while no instance ran is recorded later.
 */
export async function reportExpiringContracts(ports: Ports): Promise<void> {
  const today = ports.today()
  await withBackgroundTransaction(ports, async (tx) => {
    const due = await tx.execute<{ subjectId: string; sequence: number }>(sql`
      update contracts set expiry_reported = last_day, event_count = event_count + 1
      where last_day - coalesce(expiry_reminder_days, reminder_days) <= ${today}::date
        and last_day >= ${today}::date - ${MAX_MISSED_DAYS}::int and expiry_reported is distinct from last_day
      returning id as "subjectId", event_count as sequence`)
    const time = new Date()
    const events = due.map((contract) =>
      newEvent({}, time, { type: 'contract.expiring', change: 'changed', ...contract })
    )
    await insertEvents(tx, events)
  })
}
