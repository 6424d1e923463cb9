import { getTableColumns, type SQL, sql } from 'drizzle-orm'
import type { Transaction } from '../db/driver/database.js'
import { columnList, type MemberTypes, memberSqlTypes, rowArrays, valueList } from '../db/sql/row-arrays.js'
import { newId, type UnitOfWork } from '../db/unit-of-work.js'
import type { Call } from '../platform/auth/call.js'
import { type EventRow, events } from './tables.js'

const members = Object.keys(getTableColumns(events)).filter((member) => member !== 'position')

/** The SQL types of rows to insert. */
export const eventTypesOfMembers: MemberTypes<keyof EventRow> = memberSqlTypes(events, members)

/**
 * An insert of events, also as part of a statement. PostgreSQL assigns positions in the order of
 * the ids, which {@link newEvent} makes in ascending order.
 * @param source provides the rows as `r`.
 * @param sequence of each row.
 */
export const insertEventsFrom = (source: SQL, sequence: SQL = sql`r."sequence"`): SQL => sql`
  insert into ${events} (${columnList(events, members)}) select ${valueList(events, { sequence }, members)}
  from ${source} order by r."id"`

/** The members of an event that differ from the other events of the same change. */
export type EventInput = Pick<EventRow, 'type' | 'change' | 'subjectId' | 'sequence'> &
  Partial<Pick<EventRow, 'ownerId' | 'oldStatus' | 'newStatus' | 'isOfDraft'>>

/**
 * Makes the row of an event. Without an owner the subject is the owner. A bulk request has
 * thousands of events, and a rest element would take ten times as long.
 */
export const newEvent = (
  { traceparent }: Pick<Call, 'traceparent'>,
  time: Date,
  { type, change, subjectId, sequence, ownerId, oldStatus, newStatus, isOfDraft }: EventInput
): EventRow => ({
  id: newId(),
  time,
  type,
  change,
  subjectId,
  ownerId: ownerId ?? subjectId,
  sequence,
  oldStatus: oldStatus ?? null,
  newStatus: newStatus ?? null,
  isOfDraft: isOfDraft ?? false,
  traceparent: traceparent ?? null
})

/** Inserts events in the transaction of their changes, in this order. */
export async function insertEvents(tx: Transaction, rows: readonly EventRow[]): Promise<void> {
  if (rows.length > 0) await tx.execute(insertEventsFrom(rowArrays(eventTypesOfMembers, rows)))
}

/**
 * Records events of a unit of work. Call it after the writes that they report, so that their
 * resources are locked.
 */
export const recordEvents = ({ tx, call, at }: UnitOfWork, inputs: readonly EventInput[]): Promise<void> =>
  insertEvents(
    tx,
    inputs.map((input) => newEvent(call, at, input))
  )
