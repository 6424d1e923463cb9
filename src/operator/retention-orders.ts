import { type SQL, sql } from 'drizzle-orm'
import type { Queryable } from '../db/driver/database.js'
import { closedStatuses } from '../order/model/states.js'
import {
  type Command,
  type CommandContext,
  confirmOption,
  monthsOf,
  parseArguments,
  plural
} from './command.js'
import { removeOrders, splitByKeptDevices } from './order-removal.js'
import { assertOwner } from './owner.js'
import { createRecorder } from './recorder.js'

/** Maximum number of orders that one transaction removes, so that it locks them only briefly. */
const PAGE_SIZE = 200

/** Pages between two lines of progress. */
const PAGES_PER_LINE = 50

const FIRST_ID = '00000000-0000-0000-0000-000000000000'

export const isClosedOrder = sql`o.status = any(${sql.param(closedStatuses)}::text[])`

/**
 * `retention orders --closed-months <n> [--in-use-months <m>] [--confirm]`: removes orders that
 * were closed, and drafts that were deleted, at least `n` months ago, with their lines, traces,
 * notes and devices. Orders of a device in use stay, unless the device has been in use for `m`
 * months.
 */
export const removeExpiredOrders: Command = (args) => {
  const text = { type: 'string' } as const
  const { values } = parseArguments(args, { 'closed-months': text, 'in-use-months': text, ...confirmOption })
  const expired = closedBefore(monthsAgo(monthsOf(values, 'closed-months')))
  const isRecent =
    'in-use-months' in values ? sql`d.used_from > ${monthsAgo(monthsOf(values, 'in-use-months'))}` : sql`true`
  const keeps = sql`d.used_until is null and ${isRecent}`
  return (context) => removeExpired(context, expired, keeps, values.confirm)
}

/** @param keeps SQL condition: the device `d` keeps its order. */
async function removeExpired(
  context: CommandContext,
  expired: SQL,
  keeps: SQL,
  isConfirmed: boolean
): Promise<void> {
  const { db, print } = context
  await assertOwner(db)
  const recorder = await createRecorder(context)
  if (!isConfirmed) await recorder.record({ operation: 'previewOrderRetention', interaction: 'read' })
  const total = { orders: 0, staying: 0 }
  const removed = () => `Removed ${plural(total.orders, 'order')}`
  try {
    for await (const [at, ids] of pagesOf(db, expired)) {
      const found = isConfirmed ? removeOrders(db, recorder, ids, keeps) : splitByKeptDevices(db, ids, keeps)
      const { expired, staying } = await found
      total.orders += expired.length
      total.staying += staying
      if (isConfirmed && at % PAGES_PER_LINE === 0) print(`${removed()} so far.`)
    }
  } catch (error) {
    if (isConfirmed) print(`${removed()} until it failed. Run the command again to remove the other orders.`)
    throw error
  }
  print(
    isConfirmed
      ? `${removed()}.`
      : `Would remove ${plural(total.orders, 'order')}. Nothing was removed. Repeat the command with --confirm.`
  )
  if (total.staying > 0)
    print(`${plural(total.staying, 'order')} with a device in use ${total.staying === 1 ? 'stays' : 'stay'}.`)
}

const monthsAgo = (months: number) => sql`now() - make_interval(months => ${months}::int)`

/**
 * SQL condition: the order `o` was closed, or the draft deleted, before a time. The trace has the
 * time of closing: an erasure also changes `changed_at`.
 */
const closedBefore = (time: SQL): SQL => sql`(o.deleted_at < ${time} or (${isClosedOrder}
  and (select max(t.timestamp) from trace_lines t
    where t.order_id = o.id and t.order_line_id is null and t.new_status = o.status) < ${time}))`

/** The ids of orders that meet a condition, in order, in numbered pages. */
async function* pagesOf(db: Queryable, condition: SQL): AsyncGenerator<[at: number, ids: string[]]> {
  let last = FIRST_ID
  for (let at = 1; ; at++) {
    const page = await db.execute<{ id: string }>(sql`
      select o.id from orders o where o.id > ${last}::uuid and ${condition} order by o.id limit ${PAGE_SIZE}`)
    const ids = page.map(({ id }) => id)
    last = ids.at(-1) ?? last
    if (ids.length === 0) return
    yield [at, ids]
  }
}
