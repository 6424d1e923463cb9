import { type SQL, sql } from 'drizzle-orm'
import { insertAuditRows } from '../audit/insert.js'
import { assertNotDistributed } from '../db/distribution.js'
import type { Database } from '../db/driver/database.js'
import { closedStatuses } from '../order/model/order.state.js'
import { type Command, type CommandContext, plural } from './command.js'
import { assertOwner, permitChange } from './owner.js'
import { createRecorder, type Recorder } from './recorder.js'

/** Orders that one transaction removes, so that it does not hold their locks for long. */
const BATCH_SIZE = 200

/** SQL condition: the order `o` has a final status. */
export const isClosedOrder = sql`o.status = any(${sql.param(closedStatuses)}::text[])`

/** SQL condition: the device `d` is in use. */
export const isInUse = sql`d.used_until is null`

/**
 * `retention orders --closed-months <n> [--in-use-months <m>] [--confirm]`: removes orders that
 * were closed, and drafts that were deleted, at least `n` months ago, with their lines, traces,
 * notes and devices. Orders of a device that is in use stay, unless it has been for `m` months.
 */
export const retainOrders: Command['run'] = async (context, args) => {
  const { months, optionalMonths, isConfirmed } = args
  const { db } = context
  await assertOwner(db)
  await assertNotDistributed(db)
  const recorder = await createRecorder(db)
  const isClosed = closedBefore(monthsAgo(months))
  const hasDevice = sql`exists (select from devices d where d.order_id = o.id and ${isInUse} and d.is_confirmed
    ${optionalMonths === undefined ? sql`` : sql`and d.used_from > ${monthsAgo(optionalMonths)}`})`
  const isExpired = sql`${isClosed} and not ${hasDevice}`
  await (isConfirmed ? remove(context, recorder, isExpired) : preview(context, recorder, isExpired))
  // Those with a device first: the time of closing costs more.
  const [left] = await db.execute<{ orders: number }>(sql`
    select count(*)::int as orders
    from (select * from orders o where ${hasDevice} offset 0) o where ${isClosed}`)
  if (left && left.orders > 0)
    context.print(
      `${plural(left.orders, 'order')} with a device in use ${left.orders === 1 ? 'stays' : 'stay'}.`
    )
}

const monthsAgo = (months: number) => sql`now() - make_interval(months => ${months}::int)`

/**
 * SQL condition: the order `o` was closed, or the draft deleted, before a time. The trace has the
 * time of closing: `changed_at` grows by an erasure too.
 */
const closedBefore = (time: SQL): SQL => sql`(o.deleted_at < ${time} or (${isClosedOrder}
  and (select max(t.timestamp) from trace_lines t
    where t.order_id = o.id and t.order_line_id is null and t.new_status = o.status) < ${time}))`

async function preview({ db, print }: CommandContext, { record }: Recorder, isExpired: SQL): Promise<void> {
  await record({ operation: 'previewOrderRetention', interaction: 'read' })
  const [row] = await db.execute<Record<'orders' | 'lines' | 'traces', number>>(sql`
    with expired as materialized (select o.id from orders o where ${isExpired})
    select (select count(*) from expired)::int as orders,
      (select count(*) from order_lines where order_id in (select id from expired))::int as lines,
      (select count(*) from trace_lines where order_id in (select id from expired))::int as traces`)
  const { orders = 0, lines = 0, traces = 0 } = row ?? {}
  print(
    `Would remove ${plural(orders, 'order')} with ${plural(lines, 'line')} and ${plural(traces, 'trace line')}. Nothing was removed: repeat it with --confirm.`
  )
}

async function remove({ db, print }: CommandContext, recorder: Recorder, isExpired: SQL): Promise<void> {
  let total = 0
  let last = '00000000-0000-0000-0000-000000000000'
  for (;;) {
    const removed = await removeBatch(db, recorder, sql`o.id > ${last}::uuid and ${isExpired}`)
    if (removed.length === 0) break
    total += removed.length
    last = removed.at(-1) ?? last
  }
  print(`Removed ${plural(total, 'order')}.`)
}

/**
 * Removes some orders, with all that belongs to them and the audit record, in one transaction.
 * @returns their ids, in order.
 */
function removeBatch(db: Database, { rowOf }: Recorder, condition: SQL): Promise<string[]> {
  return db.transaction(async (tx) => {
    const expired = await tx.execute<{ order: string; patient: string }>(sql`
      select o.id as order, o.patient from orders o where ${condition} order by o.id limit ${BATCH_SIZE} for update`)
    const ids = expired.map(({ order }) => order)
    if (ids.length === 0) return []
    const inBatch = sql`any(${sql.param(ids)}::uuid[])`
    await permitChange(tx, 'remove orders')
    await tx.execute(sql`delete from devices where order_id = ${inBatch}`)
    await tx.execute(sql`delete from trace_lines where order_id = ${inBatch}`)
    await tx.execute(sql`delete from reminders where subject_id in (
      select id from order_lines where order_id = ${inBatch} union all select id from orders where id = ${inBatch})`)
    await tx.execute(sql`delete from order_lines where order_id = ${inBatch}`)
    await tx.execute(sql`delete from orders where id = ${inBatch}`)
    await insertAuditRows(tx, [rowOf({ operation: 'removeOldOrders', interaction: 'delete' }, [...expired])])
    return ids
  })
}
