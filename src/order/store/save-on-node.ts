import { getTableColumns, type SQL, sql } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import { insertAuditRowsFrom } from '../../audit/insert.js'
import type { Transaction } from '../../db/driver/database.js'
import { assignmentList, columnList, valueList } from '../../db/sql/row-arrays.js'
import { statement } from '../../db/sql/statement.js'
import { insertEventsFrom } from '../../ledger/insert.js'
import { devices } from '../device/tables.js'
import { changeableDeviceMembers } from '../device/writes.js'
import {
  changeableLineMembers,
  type Extent,
  heldDevices,
  type OrderWrite,
  type SaveOrders,
  valuesOfRows,
  writtenRows
} from './order-write.js'
import { orderLines, orders, traceLines } from './tables.js'
import { timeOfChange } from './time-of-change.js'

/**
 * Writes changed orders in a distributed database, each by statements that name it as `= $n`: only
 * the node that has it takes part. Citus sends what a part of one statement returns to every node,
 * so that none could be away. What belongs to all orders of a transaction is written at its end.
 */
export function saveOnNode({ members }: Extent): SaveOrders<Transaction> {
  const saveEach = statement<object, { id: string }>(updateOf(members))
  return async (tx, writes) => {
    const free = await withFreeDevices(tx, writes)
    const saved: OrderWrite[] = []
    for (const write of free) {
      const values = { ...valuesOf(orders, write.order), until: write.until.toISOString() }
      if ((await saveEach(tx, values)).length > 0) saved.push(write)
    }
    if (saved.length === 0) return []
    for (const line of saved.flatMap(({ changedLines }) => changedLines))
      await saveLine(tx, valuesOf(orderLines, line))
    const values = valuesOfRows(saved)
    if (saved.some(({ newLines }) => newLines.length > 0)) await insertLines(tx, values)
    if (saved.some(({ newDevices }) => newDevices.length > 0)) await insertDevices(tx, values)
    if (saved.some(({ changedDevices }) => changedDevices.length > 0)) await saveDevices(tx, values)
    // Also without rows: only `insert … select` makes Citus commit in two phases. In one, the node
    // would commit before the coordinator, which could still fail.
    await insertTraces(tx, values)
    await insertRecords(tx, values)
    return saved.map(({ order: { id } }) => ({ id }))
  }
}

/** Locks the devices of changes on the coordinator. Leaves out changes that find others. */
async function withFreeDevices(
  tx: Transaction,
  writes: readonly OrderWrite[]
): Promise<readonly OrderWrite[]> {
  if (writes.every(({ changedDevices }) => changedDevices.length === 0)) return writes
  const held = await holdDevices(tx, valuesOfRows(writes))
  return writes.filter(
    ({ order, changedDevices }) =>
      held.filter(({ changedBy }) => changedBy === order.id).length === changedDevices.length
  )
}

/**
 * An update of an order that is as its change expects it, and not locked. In an update Citus allows
 * no `clock_timestamp()`, which has another value each time.
 */
const updateOf = (members: Extent['members']) => sql`
  update ${orders} set ${assignments(orders, members)}
  where orders.id = ${placeholder(orders, 'id')} and exists (
    select from ${orders} o
    where o.id = ${placeholder(orders, 'id')} and o.revision = ${placeholder(orders, 'revision')} - 1
      and o.deleted_at is null and statement_timestamp() < ${placeholder(orders, 'changedAt', 'until')}
    for no key update skip locked)
  returning orders.id`

const saveLine = statement<object, never>(sql`
  update ${orderLines} set ${assignments(orderLines, changeableLineMembers)}
  where order_lines.order_id = ${placeholder(orderLines, 'orderId')} and order_lines.id = ${placeholder(orderLines, 'id')}`)

const { newLines, newDevices, changedDevices, traces, events, audit } = writtenRows

const insertInto = (table: PgTable, { from }: { from: SQL }) =>
  statement<object, never>(
    sql`insert into ${table} (${columnList(table)}) select ${valueList(table)} from ${from}`
  )

const insertLines = insertInto(orderLines, newLines)
const insertDevices = insertInto(devices, newDevices)
const insertTraces = insertInto(traceLines, traces)
const holdDevices = statement<object, { changedBy: string }>(heldDevices)
const saveDevices = statement<object, never>(sql`
  update ${devices} set ${assignmentList(devices, changeableDeviceMembers)}
  from ${changedDevices.from} where devices.line_id = r."lineId"`)
const insertRecords = statement<object, never>(sql`
  with recorded as (${insertEventsFrom(events.from)}) ${insertAuditRowsFrom(audit.from)}`)

/** `column = $n` for members of one row. */
function assignments(table: PgTable, members: readonly string[]): SQL {
  const values = members.map((member) => {
    const { name } = columnOf(table, member)
    const value = placeholder(table, member)
    return sql`${sql.identifier(name)} = ${member === 'changedAt' ? timeOfChange(value, sql`statement_timestamp()`) : value}`
  })
  return sql.join(values, sql`, `)
}

/** A placeholder for the value of a member, with its type. */
function placeholder(table: PgTable, member: string, name = member): SQL {
  return sql`${sql.placeholder(name)}::${sql.raw(columnOf(table, member).getSQLType())}`
}

/** The values of the placeholders of a row. */
const valuesOf = (table: PgTable, row: object): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(getTableColumns(table)).map(([member, column]) => {
      const value = (row as Record<string, unknown>)[member]
      return [member, value === null ? null : column.mapToDriverValue(value)]
    })
  )

function columnOf(table: PgTable, member: string) {
  const column = getTableColumns(table)[member]
  if (!column) throw new Error(`There is no column ${member}.`)
  return column
}
