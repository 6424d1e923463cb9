import {
  and,
  arrayContains,
  arrayOverlaps,
  eq,
  getTableColumns,
  gt,
  lte,
  or,
  type SQL,
  sql
} from 'drizzle-orm'
import { type AnyPgColumn, alias } from 'drizzle-orm/pg-core'
import { type AuditRow, auditEvents } from '../audit/tables.js'

/*
 * The subjects of an audit event are the patients and orders that it names, or those of the earlier
 * event that its `same_as` refers to.
 */

/** The earlier event that has the subjects of another event. */
export const subjectSourceEvents = alias(auditEvents, 'subject_source')
/** The time limits the scan of PostgreSQL to one partition. */
export const subjectSourceJoin = and(
  eq(subjectSourceEvents.id, auditEvents.sameAs),
  lte(subjectSourceEvents.recorded, auditEvents.recorded),
  gt(subjectSourceEvents.recorded, sql`${auditEvents.recorded} - interval '2 hours'`)
)
const [patientsOf, ordersOf] = [
  sql`coalesce(${subjectSourceEvents.patients}, ${auditEvents.patients})`,
  sql`coalesce(${subjectSourceEvents.orders}, ${auditEvents.orders})`
]

/** Arrays are selected as JSON: the driver reads a null within an array as the text NULL. */
export const auditEventColumns = {
  ...getTableColumns(auditEvents),
  patients: sql<AuditRow['patients']>`to_json(${patientsOf})`,
  orders: sql<AuditRow['orders']>`to_json(${ordersOf})`
}

/** The number of pairs of a patient and an order of an event. */
export const subjectCount = sql<number>`cardinality(${ordersOf})`

export const orderCount = sql`(select count(distinct named) from unnest(${ordersOf}) named)`

/**
 * SQL condition: the event has this order, this patient, or this patient in this order as a
 * subject.
 * @param patient the hash of each reference to the patient.
 */
export function namesSubject(order: string | undefined, patient: string[] | undefined): SQL | undefined {
  const named = namesDirectly(auditEvents, order, patient)
  const sources = sql`array(select ${subjectSourceEvents.id} from ${auditEvents} subject_source
    where ${namesDirectly(subjectSourceEvents, order, patient)})`
  return named && or(named, sql`${auditEvents.sameAs} = any(${sources})`)
}

/**
 * With both parameters, the patient must belong to the order: its buyer must not learn of other
 * patients in the event.
 */
function namesDirectly(
  { patients, orders }: Record<'patients' | 'orders', AnyPgColumn>,
  order: string | undefined,
  patient: string[] | undefined
): SQL | undefined {
  const inOrder = sql`exists (select from unnest(${patients}, ${orders}) as subject (patient, in_order)
    where patient = any(${sql.param(patient)}::bytea[]) and in_order = ${order}::uuid)`
  return and(
    order === undefined ? undefined : arrayContains(orders, [order]),
    patient === undefined ? undefined : arrayOverlaps(patients, patient),
    order === undefined || patient === undefined ? undefined : inOrder
  )
}
