import { sql } from 'drizzle-orm'
import type { Database } from '../db/driver/database.js'
import { devices } from '../order/device/tables.js'
import { type Command, type CommandContext, parse, plural } from './command.js'
import { lockRemovals } from './order-batches.js'
import { createRecorder } from './recorder.js'

/** Lines that are read at once. Devices of as many are added in one transaction. */
const BATCH_SIZE = 2000

/** Batches between two lines of progress. */
const BATCHES_PER_LINE = 50

interface Batch {
  /** Lines that were read, which may deliver no device. */
  lines: number
  /** The last one of them, and when its order was created. */
  last: { orderId: string; id: string; created: string } | undefined
  added: number
  /** Lines that delivered something of an unknown model. */
  unknown: number
}

/**
 * `devices backfill`: adds the devices of lines that were fulfilled before the program recorded
 * devices. Nothing tells whether they were fetched since, so they are not confirmed. A line that
 * has a device is skipped, so a run goes on where an interrupted one stopped.
 */
export const backfillDevices: Command = (args) => {
  parse(args, {})
  return backfillAll
}

async function backfillAll({ db, print }: CommandContext): Promise<void> {
  const { record } = await createRecorder(db)
  await record({ operation: 'backfillDevices', interaction: 'create' })
  const total = { lines: 0, added: 0, unknown: 0 }
  const count = () =>
    `Added ${plural(total.added, 'device')} of ${plural(total.lines, 'line')}; ${total.unknown} delivered without a known device model.`
  let last: Batch['last']
  for (let at = 1; ; at++) {
    const batch = await backfill(db, last)
    for (const name of ['lines', 'added', 'unknown'] as const) total[name] += batch[name]
    if (!batch.last) break
    last = batch.last
    if (at % BATCHES_PER_LINE === 0) print(`${count()} Orders until ${last.created} are done.`)
  }
  print(count())
}

/** Adds the devices of the next lines, in the order of their orders. */
async function backfill(db: Database, after: Batch['last']): Promise<Batch> {
  const { orderId, id } = after ?? { orderId: NO_ID, id: NO_ID }
  const lines = await db.execute<{ orderId: string; id: string; created: string; isDelivery: boolean }>(sql`
    select order_id as "orderId", id, to_char(created_at at time zone 'UTC', 'YYYY-MM-DD') as created,
      status = 'FULFILLED' and action in ('DELIVER', 'REPLACE') as "isDelivery"
    from order_lines where (order_id, id) > (${orderId}::uuid, ${id}::uuid)
    order by order_id, id limit ${BATCH_SIZE}`)
  const deliveries = lines.filter(({ isDelivery }) => isDelivery)
  const { added, unknown } =
    deliveries.length > 0 ? await addDevices(db, deliveries) : { added: 0, unknown: 0 }
  return { lines: lines.length, last: lines.at(-1), added, unknown }
}

const NO_ID = '00000000-0000-0000-0000-000000000000'

/** A delivery, and the model of its device if that is known. */
type Delivery = Record<'lineId' | 'orderId' | 'buyerId' | 'sellerId' | 'from', string> & {
  itemId: string | null
}

/** Adds the devices of lines that have none. */
function addDevices(db: Database, lines: readonly { orderId: string; id: string }[]) {
  const orderIds = sql.param([...new Set(lines.map(({ orderId }) => orderId))])
  const ids = sql.param(lines.map(({ id }) => id))
  return db.transaction(async (tx) => {
    await lockRemovals(tx)
    const rows = await tx.execute<Delivery>(sql`
      select l.id as "lineId", l.order_id as "orderId", o.buyer_id as "buyerId", o.seller_id as "sellerId",
        case i.type when 'DeviceModel' then i.id else i.related_to_id end as "itemId",
        coalesce((select max(t.timestamp) from trace_lines t where t.order_id = l.order_id
          and t.order_line_id = l.id and t.new_status = 'FULFILLED'), l.created_at) as from
      from order_lines l join orders o on o.id = l.order_id join catalogue_items i on i.id = l.item_id
      where l.order_id = any(${orderIds}::uuid[]) and l.id = any(${ids}::uuid[])`)
    const values = rows.flatMap(({ itemId, from, ...row }) =>
      itemId === null ? [] : [{ ...row, itemId, from: new Date(from), isConfirmed: false }]
    )
    const added =
      values.length > 0
        ? await tx.insert(devices).values(values).onConflictDoNothing().returning({ id: devices.lineId })
        : []
    return { added: added.length, unknown: rows.length - values.length }
  })
}
