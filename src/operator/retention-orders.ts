import { type SQL, sql } from 'drizzle-orm'
import type { Queryable } from '../db/driver/database.js'
import { closedStatuses } from '../order/model/states.js'
import { type Command, type CommandContext, confirmOption, monthsOf, parse, plural } from './command.js'
import { type Counts, divide, removeOrders } from './order-removal.js'
import { assertOwner } from './owner.js'
import { createRecorder } from './recorder.js'

/** Orders that are read at once, and removed by one transaction: it holds their locks briefly. */
const PAGE_SIZE = 200

/** Pages between two lines of progress. */
const PAGES_PER_LINE = 50

const FIRST_ID = '00000000-0000-0000-0000-000000000000'

/** SQL condition: the order `o` has a final status. */
export const isClosedOrder = sql`o.status = any(${sql.param(closedStatuses)}::text[])`

/** SQL condition: the device `d` is in use. */
export const isInUse = sql`d.used_until is null`

/** What is removed, and the orders that stay. */
type Total = Counts & Record<'lines' | 'traces', number>

/**
 * `retention orders --closed-months <n> [--in-use-months <m>] [--confirm]`: removes orders that
 * were closed, and drafts that were deleted, at least `n` months ago, with their lines, traces,
 * notes and devices. Orders of a device that is in use stay, unless it has been for `m` months.
 */
export const retainOrders: Command = (args) => {
  const text = { type: 'string' } as const
  const { values } = parse(args, { 'closed-months': text, 'in-use-months': text, ...confirmOption })
  const expired = closedBefore(monthsAgo(monthsOf(values, 'closed-months')))
  const holds = sql`${isInUse}
    ${'in-use-months' in values ? sql`and d.used_from > ${monthsAgo(monthsOf(values, 'in-use-months'))}` : sql``}`
  return (context) => retain(context, expired, holds, values.confirm)
}

/** @param holds SQL condition: the device `d` holds its order back. */
async function retain(
  context: CommandContext,
  expired: SQL,
  holds: SQL,
  isConfirmed: boolean
): Promise<void> {
  const { db, print } = context
  await assertOwner(db)
  const recorder = await createRecorder(context)
  if (!isConfirmed) await recorder.record({ operation: 'previewOrderRetention', interaction: 'read' })
  const total = { orders: 0, lines: 0, traces: 0, staying: 0 }
  const removed = () => `Removed ${plural(total.orders, 'order')}`
  try {
    for await (const [at, ids] of pagesOf(db, expired)) {
      if (isConfirmed) add(total, await removeOrders(db, recorder, ids, holds))
      else add(total, await count(db, ids, holds))
      if (isConfirmed && at % PAGES_PER_LINE === 0) print(`${removed()} so far.`)
    }
  } catch (error) {
    if (isConfirmed) print(`${removed()} until it failed. Run it again to remove the others.`)
    throw error
  }
  print(isConfirmed ? `${removed()}.` : preview(total))
  if (total.staying > 0)
    print(`${plural(total.staying, 'order')} with a device in use ${total.staying === 1 ? 'stays' : 'stay'}.`)
}

function add(total: Total, { orders, staying, lines = 0, traces = 0 }: Counts & Partial<Total>): void {
  total.orders += orders
  total.staying += staying
  total.lines += lines
  total.traces += traces
}

const preview = ({ orders, lines, traces }: Total) =>
  `Would remove ${plural(orders, 'order')} with ${plural(lines, 'line')} and ${plural(traces, 'trace line')}. Nothing was removed: repeat it with --confirm.`

const monthsAgo = (months: number) => sql`now() - make_interval(months => ${months}::int)`

/**
 * SQL condition: the order `o` was closed, or the draft deleted, before a time. The trace has the
 * time of closing: `changed_at` grows by an erasure too.
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

/** Counts what {@link removeOrders} would remove. */
async function count(db: Queryable, ids: readonly string[], holds: SQL): Promise<Total> {
  const { staying, expired } = await divide(db, ids, holds)
  const rowsOf = async (table: 'order_lines' | 'trace_lines') => {
    if (expired.length === 0) return 0
    const [row] = await db.execute<{ rows: number }>(
      sql`select count(*)::int as rows from ${sql.identifier(table)} where order_id in ${expired}`
    )
    return row?.rows ?? 0
  }
  const [lines, traces] = [await rowsOf('order_lines'), await rowsOf('trace_lines')]
  return { staying, orders: expired.length, lines, traces }
}
