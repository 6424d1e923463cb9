import { type SQL, sql } from 'drizzle-orm'
import { type Command, parseArguments, plural } from './command.js'
import { createRecorder } from './recorder.js'

/** Ids of rows that the output names for each column. */
const MAX_NAMED_ROWS = 20

/** A column whose value differs from its source in some rows. */
interface Difference extends Record<string, unknown> {
  column: string
  count: number
  /** The first ids of these rows, with commas. The id of a device is that of its line. */
  ids: string
}

const isOpen = sql`o.status in ('SUBMITTED', 'ACCEPTED')`

/** The rows of a table with each column, and whether the column differs from its source. */
const rows = (id: SQL, from: SQL, conditions: Readonly<Record<string, SQL>>) => {
  const values = Object.entries(conditions).map(([column, differs]) => sql`(${column}::text, ${differs})`)
  return sql`select ${id} as id, c.name, c.differs from ${from}
    cross join lateral (values ${sql.join(values, sql`, `)}) c (name, differs)`
}

/**
 * The columns that the lines of an open order determine. Times are in the time zone of the stored
 * times.
 */
const decidedByLines = sql`
  select bool_or(l.status = 'UNFULFILLED') as is_returned,
    min(coalesce(l.agreed_to, (o.latest_delivery_date + 1)::timestamp at time zone zone.value))
      filter (where l.status = 'SUBMITTED') as due_at
  from order_lines l where l.order_id = o.id and l.deleted_at is null and ${isOpen}`

const ordersQuery = rows(
  sql`o.id`,
  sql`orders o join parties buyer on buyer.id = o.buyer_id join parties seller on seller.id = o.seller_id
    left join fixed_settings zone on zone.name = 'TIME_ZONE' cross join lateral (${decidedByLines}) lines`,
  {
    'orders.buyer_organization': sql`o.buyer_organization <> buyer.organization`,
    'orders.seller_organization': sql`o.seller_organization <> seller.organization`,
    'orders.patient': sql`exists (select from patient_aliases a where a.reference = o.patient)`,
    'orders.has_returned_line': sql`o.has_returned_line <> coalesce(lines.is_returned, false)`,
    'orders.was_returned': sql`o.has_returned_line and not o.was_returned`,
    'orders.answer_due_at': sql`o.submitted_at is null and o.answer_due_at is not null`,
    'orders.delivery_due_at': sql`(${isOpen} or o.submitted_at is null)
      and o.delivery_due_at is distinct from lines.due_at`,
    'orders.answered_at': sql`case when o.status in ('ACCEPTED', 'REJECTED', 'FULFILLED') then o.answered_at is null
      when o.status in ('DRAFT', 'SUBMITTED') then o.answered_at is not null else false end`
  }
)

const linesQuery = rows(sql`l.id`, sql`order_lines l join orders o on o.id = l.order_id`, {
  'order_lines.buyer_organization': sql`l.buyer_organization <> o.buyer_organization`,
  'order_lines.seller_organization': sql`l.seller_organization <> o.seller_organization`,
  'order_lines.patient': sql`l.patient <> o.patient`,
  'order_lines.submitted_at': sql`l.submitted_at is distinct from o.submitted_at`,
  'order_lines.deleted_at': sql`l.deleted_at is null and o.deleted_at is not null`,
  'order_lines.ordered_item': sql`(l.ordered_item is null) <> (l.submitted_at is null or l.deleted_at is not null)`,
  'order_lines.closed_at': sql`(l.closed_at is null) <> (l.status in ('UNFULFILLED', 'SUBMITTED'))`
})

const devicesQuery = rows(
  sql`d.line_id`,
  sql`devices d join orders o on o.id = d.order_id
    join parties buyer on buyer.id = d.buyer_id join parties seller on seller.id = d.seller_id`,
  {
    'devices.buyer_id': sql`d.buyer_id <> o.buyer_id`,
    'devices.seller_id': sql`d.seller_id <> o.seller_id`,
    'devices.buyer_organization': sql`d.buyer_organization <> buyer.organization`,
    'devices.seller_organization': sql`d.seller_organization <> seller.organization`
  }
)

/**
 * SQL query of {@link Difference}: compares each column of orders, lines and devices that has a
 * copy, or a value that follows from other columns, with its source.
 */
export const differencesQuery = sql`
    select name as column, count(*)::int as count,
      array_to_string((array_agg(id order by id))[1:${MAX_NAMED_ROWS}::int], ', ') as ids
    from (${ordersQuery} union all ${linesQuery} union all ${devicesQuery}) compared
    where differs group by name order by name`

/**
 * `check`: compares the columns that decide who sees orders, lines and devices, and when orders are
 * due, with their sources. Changes nothing. The command fails when there is a difference.
 */
export const checkCopies: Command = (args) => {
  parseArguments(args, {})
  return async (context) => {
    const { record } = await createRecorder(context)
    await record({ operation: 'checkCopies', interaction: 'read' })
    const differences = await context.db.execute<Difference>(differencesQuery)
    for (const { column, count, ids } of differences)
      context.print(`${column}: ${plural(count, 'difference')}: ${ids}`)
    if (differences.length > 0)
      throw new Error(
        'Columns differ from their sources. An organization may see the order of another one. Stop the service and report this output.'
      )
    context.print('0 differences.')
  }
}
