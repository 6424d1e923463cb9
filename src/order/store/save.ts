import { createBatcher } from '../../db/batch/batcher.js'
import { unitOfWork } from '../../db/unit-of-work.js'
import type { Call } from '../../platform/auth/call.js'
import type { Ports } from '../../ports.js'
import { type OrderWrite, writeOrders } from './save-statement.js'

/**
 * Writes an order with its lines, devices, trace, events, audit record and the result of its
 * Idempotency-Key, all or nothing. Concurrent changes share a statement. A creation and a request
 * with a key have their own transactions, which the deadline rolls back while they wait.
 * @returns false when nothing was written: the stored order or one of its devices has changed or is
 *   locked, or the deadline has passed.
 * @throws Problem `busy`, `outcome-unknown`.
 */
export async function save(ports: Ports, call: Call, change: Omit<OrderWrite, 'audit'>): Promise<boolean> {
  const { order, newLines, changedDevices } = change
  const { auditContext, deadline, idempotencyKey } = call
  auditContext.addSubject(order.patient, order.id)
  // An order may end the use of a device of another order.
  for (const { orderId } of changedDevices) auditContext.addSubject(order.patient, orderId)
  const write = { ...change, audit: ports.audit.rowOf(auditContext, null) }
  const isSaved = (result: unknown) => result !== false
  const isNew = order.revision === 1
  const made = isNew ? order.id : newLines.map(({ id }) => id)
  const saving =
    isNew || idempotencyKey
      ? unitOfWork(ports, call, async ({ tx }) => (await writeOrders(tx, [write])).length > 0 && made, {
          isWritten: isSaved
        })
      : deadline.commit(async (begin) => saveBatch(ports.db, { write, begin }), isSaved)
  return isSaved(await auditContext.commitWith<unknown>(saving, isSaved))
}

interface Entry {
  write: OrderWrite
  /** Called right before the write is sent. If it throws, nothing is written. */
  begin: () => void
}

/** Maximum number of rows and notes of a batch. */
const MAX_BATCH_ROWS = 1000

/** The next batch starts after this many milliseconds even while a batch is in flight. */
const MAX_WAIT_MS = 100

/**
 * Concurrent changes of different orders share a statement and its commit, which doubles the number
 * of changes per second at 32 connections. If several changes concern one order or one device, only
 * the first change is written, because the other changes then have an outdated revision.
 */
export const saveBatch = createBatcher<Entry, boolean>({
  name: 'order-saves',
  beforeExecute: ({ begin }) => begin(),
  async execute(db, entries) {
    const taken = new Set<string>()
    const firsts = new Set<OrderWrite>()
    for (const { write } of entries) {
      const ids = [write.order.id, ...write.changedDevices.map(({ lineId }) => lineId)]
      if (ids.some((id) => taken.has(id))) continue
      for (const id of ids) taken.add(id)
      firsts.add(write)
    }
    const saved = new Set((await writeOrders(db, [...firsts])).map(({ id }) => id))
    return entries.map(({ write }) => firsts.has(write) && saved.has(write.order.id))
  },
  weight: ({ write: { order, newLines, changedLines, traces } }) =>
    1 + order.notes.length + newLines.length + changedLines.length + traces.length,
  maxBatchWeight: MAX_BATCH_ROWS,
  maxWaitMs: MAX_WAIT_MS
})
