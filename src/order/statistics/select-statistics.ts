import { type SQL, sql } from 'drizzle-orm'
import type { Database } from '../../db/driver/database.js'
import { textArray } from '../../db/sql/conditions.js'
import { GROUP_SEPARATOR, type PatientGroup } from './small-groups.js'
import type { StatisticsKey } from './statistics.schemas.js'

/** The orders whose figures are selected. */
export interface StatisticsScope {
  /** SQL condition on `orders` and `order_lines`: the rows to count. */
  where: SQL
  /** Days of submission, both inclusive. */
  from: string
  to: string
  timeZone: string
  keys: readonly StatisticsKey[]
}

const columns: Readonly<Record<StatisticsKey, SQL>> = {
  month: sql`month`,
  buyer: sql`buyer_id`,
  seller: sql`seller_id`,
  item: sql`item_id`,
  action: sql`action`
}

const startOf = (day: string, { timeZone }: StatisticsScope) =>
  sql`(${day}::date::timestamp at time zone ${timeZone})`
const endOf = (day: string, { timeZone }: StatisticsScope) =>
  sql`((${day}::date + 1)::timestamp at time zone ${timeZone})`

const listOf = (keys: readonly StatisticsKey[]) =>
  sql.join(
    keys.map((key) => columns[key]),
    sql`, `
  )

/** The text of the values of keys: a group. Values that are null are left out. */
const groupOf = (keys: readonly StatisticsKey[]) => sql`concat_ws(${GROUP_SEPARATOR}::text, ${listOf(keys)})`

/** The lines of the orders, with the patient, the keys and further columns. */
const linesOf = (scope: StatisticsScope, more = sql``) => sql`
  select orders.patient, orders.buyer_id, orders.seller_id, order_lines.item_id, order_lines.action,
    to_char(orders.submitted_at at time zone ${scope.timeZone}, 'YYYY-MM') as month ${more}
  from orders
  join order_lines on order_lines.order_id = orders.id and order_lines.deleted_at is null
  left join devices on devices.line_id = order_lines.id and devices.used_from < ${endOf(scope.to, scope)}
    and (devices.used_until is null or devices.used_until >= ${endOf(scope.to, scope)})
  where ${scope.where} and orders.deleted_at is null and orders.submitted_at is not null
    and orders.submitted_at >= ${startOf(scope.from, scope)} and orders.submitted_at < ${endOf(scope.to, scope)}
    and orders.changed_at >= ${startOf(scope.from, scope)}`

/** The counted values of each line. */
const countedOf = (now: Date) => sql`, orders.id as order_id, orders.status, orders.was_returned,
    orders.was_late or orders.status in ('SUBMITTED', 'ACCEPTED') and orders.delivery_due_at < ${now.toISOString()}::timestamptz
      as was_late,
    extract(epoch from orders.answered_at - orders.submitted_at) / 3600 as answer_hours,
    case when order_lines.status = 'FULFILLED'
      then extract(epoch from coalesce(order_lines.performed_at, order_lines.closed_at) - orders.submitted_at) / 86400 end as delivery_days,
    devices.line_id is not null as is_in_use`

/**
 * Selects the groups by all keys, and the groups by the first keys only, each with its number of
 * patients. A small group also lists its patients.
 * @param scope its first key is the month.
 * @param small groups of fewer patients are small.
 * @param maximum selects at most this number of groups.
 */
export async function selectGroups(
  db: Database,
  scope: StatisticsScope,
  small: number,
  maximum: number
): Promise<PatientGroup[]> {
  const rows = await db.execute<PatientGroup & Record<string, unknown>>(sql`
    with lines as materialized (${linesOf(scope)})
    select ${groupOf(scope.keys)} as group, count(distinct patient)::int as patients,
      case when count(distinct patient) < ${small} then json_agg(distinct patient) end as few
    from lines group by rollup (${listOf(scope.keys)}) having month is not null limit ${maximum}`)
  return [...rows]
}

/** A row of figures: the values of its keys, the figures, and the patients. */
export interface FigureRow extends Record<string, unknown> {
  patients: number
}

/** Groups by some keys: the shown groups, and the groups that are merged into one row. */
export interface ListedGroups {
  keys: readonly StatisticsKey[]
  shown: string[]
  joined: string[]
}

/**
 * Selects the figures of each group. 7,600 lines of the largest buyer of a national year: 0.2 to
 * 0.4 s by month and seller, 0.4 to 0.6 s by item too, half of it for the devices.
 * @param listed the groups that are counted. Default: all groups are shown.
 * @param maximum selects at most this number of rows.
 */
export async function selectFigures(
  db: Database,
  scope: StatisticsScope,
  { now, maximum, listed }: { now: Date; maximum: number; listed?: ListedGroups }
): Promise<FigureRow[]> {
  const keyOf = (key: StatisticsKey) =>
    listed ? sql`case when listed.is_shown then ${columns[key]} end` : columns[key]
  const named = (key: StatisticsKey) => sql.identifier(`key_${key}`)
  const eachKey = (textOf: (key: StatisticsKey) => SQL) => sql.join(scope.keys.map(textOf), sql`, `)
  const groups = eachKey((key) => sql`${named(key)}`)
  const join = listed
    ? sql`join (select shown, true from unnest(${textArray(listed.shown)}) shown
        union all select joined, false from unnest(${textArray(listed.joined)}) joined) listed (name, is_shown)
        on listed.name = ${groupOf(listed.keys)}`
    : sql``
  const rows = await db.execute<FigureRow>(sql`
    with lines as (
      select lines.*, ${eachKey((key) => sql`${keyOf(key)} as ${named(key)}`)}
      from (${linesOf(scope, countedOf(now))}) lines ${join}
    ),
    counted as (
      select *, row_number() over (partition by ${groups}, order_id) = 1 as is_first from lines
    )
    select ${eachKey((key) => sql`${named(key)} as ${sql.identifier(key)}`)},
      count(*) filter (where is_first)::int as orders, count(*)::int as lines,
      count(*) filter (where is_first and status = 'FULFILLED')::int as fulfilled,
      count(*) filter (where is_first and status = 'CANCELLED')::int as cancelled,
      count(*) filter (where is_first and status = 'REJECTED')::int as rejected,
      count(*) filter (where is_first and was_returned)::int as returned,
      count(*) filter (where is_first and was_late)::int as late,
      round(percentile_cont(0.5) within group (order by answer_hours)
        filter (where is_first)::numeric, 1)::float8 as "answerHoursMedian",
      round(percentile_cont(0.5) within group (order by delivery_days)::numeric, 1)::float8 as "deliveryDaysMedian",
      count(*) filter (where is_in_use)::int as "devicesInUse", count(distinct patient)::int as patients
    from counted group by ${groups} order by ${groups} limit ${maximum}`)
  return [...rows]
}
