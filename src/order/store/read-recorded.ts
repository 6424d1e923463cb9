import { type SQL, sql } from 'drizzle-orm'
import { insertAuditRowsFrom } from '../../audit/insert.js'
import { type AuditRow, auditEvents } from '../../audit/tables.js'
import { createBatcher } from '../../db/batch/batcher.js'
import { memberTypes, rowParameters } from '../../db/sql/row-arrays.js'
import { statement } from '../../db/sql/statement.js'
import type { Call } from '../../platform/auth/call.js'
import type { Ports } from '../../ports.js'
import type { OrderRead } from './visible-order.js'

/** A read of an order with the audit record of its reader. */
type RecordedRead = AuditRow & { orderId: string; seenBy: string; readAt: Date }

const types = { ...memberTypes(auditEvents), orderId: 'uuid', seenBy: 'text', readAt: 'timestamptz' } as const
const { from, fill } = rowParameters<keyof typeof types>('read', types, { isLengthHidden: true })

/** Maximum number of readers that share a statement. */
const MAX_BATCH_SIZE = 16

/** The next batch starts after this many milliseconds even while one is in flight. */
const MAX_WAIT_MS = 20

/**
 * Prepares a read of an order that writes the audit record of what it finds, in one statement: one
 * way to the database and one commit instead of two. Concurrent readers share it.
 * @param write writes the query of an order. Its first column is the patient.
 * @returns undefined when nothing was found, and so nothing recorded.
 */
export function recordedRead<C extends Buffer[]>(
  ports: Ports,
  write: (read: Omit<OrderRead, 'side'>) => SQL
): (call: Call, id: string) => Promise<C | undefined> {
  const record = insertAuditRowsFrom(sql`r join found on found.reader = r.id`, {
    patients: sql`array_fill(${ports.audit.storedPatient(sql`found.patient`)}, array[1 + cardinality(found.related)])`,
    orders: sql`r."orderId" || found.related`
  })
  const columns = { id: sql`r."orderId"`, organization: sql`r."seenBy"`, now: sql`r."readAt"` }
  const run = statement<object, [reader: Buffer, ...C]>(
    sql`
      with r as materialized (select * from ${from}),
      found as materialized (
        select r.id as reader, found.* from r, lateral (${write(columns)}) found),
      recorded as (${record})
      select * from found`,
    { isRaw: true }
  )
  const read = createBatcher<RecordedRead, C | undefined>({
    name: 'order-details',
    async execute(reads) {
      const values = {}
      fill(values, reads)
      const found = new Map((await run(ports.db, values)).map(([reader, ...row]) => [String(reader), row]))
      return reads.map(({ id }) => found.get(id) as C | undefined)
    },
    maxBatchWeight: MAX_BATCH_SIZE,
    maxWaitMs: MAX_WAIT_MS,
    inHalves: true
  })
  return ({ auditContext, caller }, id) => {
    const row = ports.audit.rowOf(auditContext, null)
    const reading = read({ ...row, orderId: id, seenBy: caller.organization ?? '', readAt: ports.now() })
    return auditContext.commitWith(reading, (found) => found !== undefined)
  }
}
