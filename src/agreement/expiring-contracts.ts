import { sql } from 'drizzle-orm'
import { unitOfWork } from '../db/unit-of-work.js'
import { insertEvents, newEvent } from '../ledger/insert.js'
import type { Ports } from '../ports.js'
import { expiryReminderDue } from './contract.queries.js'
import { contracts } from './tables.js'

/** Days after its end for which a contract is still reported. */
const MAX_MISSED_DAYS = 90

/**
 * Records an event for each contract that ends within its reminder days, once for each contract and
 * last day. The update locks the row, so concurrent runs of several instances record the event
 * once. The next run records the events that were missed while no instance ran.
 */
export async function reportExpiringContracts(ports: Ports): Promise<void> {
  const today = ports.today()
  const { id, lastDay, eventCount, expiryReported } = contracts
  await unitOfWork(ports, null, async ({ tx }) => {
    const due = await tx
      .update(contracts)
      .set({ expiryReported: sql`${lastDay}`, eventCount: sql`${eventCount} + 1` })
      .where(
        sql`${expiryReminderDue(today)} and ${expiryReported} is distinct from ${lastDay}
          and ${lastDay} >= ${today}::date - ${MAX_MISSED_DAYS}::int`
      )
      .returning({ subjectId: id, sequence: eventCount })
    const time = new Date()
    const events = due.map((contract) =>
      newEvent({}, time, { type: 'contract.expiring', change: 'changed', ...contract })
    )
    await insertEvents(tx, events)
  })
}
