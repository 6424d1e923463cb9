import { and, arrayContains, arrayOverlaps, eq, getTableColumns, or, type SQL, sql } from 'drizzle-orm'
import { type AnyPgColumn, alias } from 'drizzle-orm/pg-core'
import { type AuditRow, auditEvents } from '../audit/tables.js'

/* Which patients and orders an audit event tells of: those that it names, or those that an earlier event names for it. */

/** The event that names the patients and orders of another. */
export const subjectSource = alias(auditEvents, 'namer')
export const isSubjectSource = eq(subjectSource.id, auditEvents.sameAs)
const [patientsOf, ordersOf] = [
  sql`coalesce(${subjectSource.patients}, ${auditEvents.patients})`,
  sql`coalesce(${subjectSource.orders}, ${auditEvents.orders})`
]

/** Arrays as JSON, for the driver reads a null within an array as the text NULL. */
export const columns = {
  ...getTableColumns(auditEvents),
  patients: sql<AuditRow['patients']>`to_json(${patientsOf})`,
  orders: sql<AuditRow['orders']>`to_json(${ordersOf})`
}

/** How many patients and orders an event tells of, in pairs. */
export const subjectCount = sql<number>`cardinality(${ordersOf})`

/** That an event tells of an order, or of a patient in one of these forms, or of that patient in that order; whoever names them for it. */
export function joinSubjectSource(order: string | undefined, patient: string[] | undefined): SQL | undefined {
  const named = naming(auditEvents, order, patient)
  const namers = sql`array(select ${subjectSource.id} from ${auditEvents} namer where ${naming(subjectSource, order, patient)})`
  return named && or(named, sql`${auditEvents.sameAs} = any(${namers})`)
}

/** Where both are wanted, the patient must stand in the order: others in the same event are no business of its buyer. */
function naming(
  { patients, orders }: Record<'patients' | 'orders', AnyPgColumn>,
  order: string | undefined,
  patient: string[] | undefined
): SQL | undefined {
  const inOrder = sql`exists (select from unnest(${patients}, ${orders}) as touched (patient, in_order)
    where patient = any(${sql.param(patient)}::text[]) and in_order = ${order}::uuid)`
  return and(
    order === undefined ? undefined : arrayContains(orders, [order]),
    patient === undefined ? undefined : arrayOverlaps(patients, patient),
    order === undefined || patient === undefined ? undefined : inOrder
  )
}
