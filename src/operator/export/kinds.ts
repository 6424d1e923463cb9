import { type SQL, sql } from 'drizzle-orm'
import type { PatientReferences } from '../../clinical/current-patient.js'
import { isoTime } from '../../db/sql/json-row.js'

/** One type of data about a patient: a member of the JSON. */
export interface ExportKind {
  name: string
  /** Rows with one column: the JSON of an object, as text. */
  rows: SQL
}

const kind = (name: string, members: Readonly<Record<string, SQL>>, from: SQL): ExportKind => {
  const pairs = Object.entries(members).map(([member, value]) => sql`${sql.raw(`'${member}'`)}, ${value}`)
  return { name, rows: sql`select json_build_object(${sql.join(pairs, sql`, `)})::text as row ${from}` }
}

const columns = (table: string, names: string): Record<string, SQL> =>
  Object.fromEntries(
    names
      .split(' ')
      .map((name) => [
        name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
        sql.raw(`${table}.${name}`)
      ])
  )

/** The members of the model of a delivered device in addition to its name. */
const modelMembers = ['manufacturer', 'model', 'version', 'identifiers']

/** Times in UTC, ISO 8601. */
const times = (table: string, names: string): Record<string, SQL> =>
  Object.fromEntries(Object.entries(columns(table, names)).map(([member, value]) => [member, isoTime(value)]))

/**
 * All stored data about a patient.
 * @param references the stored reference and the former references.
 * @param hashes the references as the audit record stores them.
 */
export function exportKinds(
  [patient, ...former]: PatientReferences,
  hashes: readonly string[]
): ExportKind[] {
  return [
    kind(
      'orders',
      {
        ...columns('o', 'id number name status status_reason_code status_reason_text priority identifiers'),
        buyer: sql`buyer.name`,
        seller: sql`seller.name`,
        ...columns('o', 'receiver_name receiver_address_line1 receiver_address_line2 receiver_postal_code'),
        ...columns(
          'o',
          'receiver_postal_district receiver_email receiver_phone receiver_patient_name patient'
        ),
        ...columns('o', 'earliest_delivery_date latest_delivery_date awaiting'),
        ...times('o', 'created_at submitted_at answered_at changed_at deleted_at')
      },
      sql`from orders o join parties buyer on buyer.id = o.buyer_id join parties seller on seller.id = o.seller_id
        where o.patient = ${patient} order by o.id`
    ),
    kind(
      'orderLines',
      {
        ...columns('l', 'id order_id item_id action status status_reason_code status_reason_text'),
        item: sql`coalesce(l.ordered_item ->> 'name', item.name)`,
        ...columns('l', 'ordered_item related_to received_by'),
        ...times('l', 'agreed_from agreed_to performed_at created_at closed_at deleted_at')
      },
      sql`from order_lines l join orders o on o.id = l.order_id join catalogue_items item on item.id = l.item_id
        where o.patient = ${patient} order by l.order_id, l.id`
    ),
    kind(
      'devices',
      {
        ...columns('d', 'order_id line_id item_id'),
        item: sql`d.model ->> 'name'`,
        ...Object.fromEntries(modelMembers.map((name) => [name, sql.raw(`d.model -> '${name}'`)])),
        ...columns('d', 'serial_number lot_number udi gtin expiry_date end_reason is_orderable'),
        from: isoTime(sql`d.used_from`),
        until: isoTime(sql`d.used_until`)
      },
      sql`from devices d
        where d.order_id = any(array(select o.id from orders o where o.patient = ${patient})) order by d.order_id, d.line_id`
    ),
    kind(
      'traceLines',
      {
        ...times('t', 'timestamp'),
        ...columns('t', 'order_id order_line_id seq created_by_organization text code supplementary_text'),
        ...columns('t', 'old_status new_status')
      },
      sql`from trace_lines t join orders o on o.id = t.order_id
        where o.patient = ${patient} order by t.order_id, t.seq`
    ),
    kind(
      'notes',
      {
        orderId: sql`o.id`,
        timestamp: sql`note.value -> 'timestamp'`,
        authorName: sql`note.value -> 'authorName'`,
        authorOrganization: sql`note.value -> 'authorOrganization'`,
        note: sql`note.value -> 'note'`
      },
      sql`from orders o cross join jsonb_array_elements(o.notes) with ordinality as note (value, at)
        where o.patient = ${patient} order by o.id, note.at`
    ),
    kind(
      'blackListEntries',
      {
        ...columns('b', 'id patient item_id organization'),
        item: sql`item.name`,
        ...times('b', 'created_at')
      },
      sql`from black_list_entries b join catalogue_items item on item.id = b.item_id
        where b.patient = ${patient} order by b.id`
    ),
    kind(
      'formerReferences',
      columns('a', 'reference replaced_by'),
      sql`from patient_aliases a where a.reference = any(${sql.param(former)}::text[]) order by a.reference`
    ),
    accesses(patient, hashes)
  ]
}

/**
 * The audit events about the patient. An event of a page also names other patients and their
 * orders, which the export omits. An event that names an order but no patient, such as that of a
 * rejected request, is about the patient of the order.
 */
function accesses(patient: string, hashes: readonly string[]): ExportKind {
  const ids = sql`array(select o.id from orders o where o.patient = ${patient})`
  const patients = sql`${sql.param([...hashes])}::text[]::bytea[]`
  const names = (table: string) =>
    sql`(${sql.raw(table)}.patients && ${patients} or ${sql.raw(table)}.orders && ${ids})`
  const subjects = sql`select subject.in_order
    from unnest(coalesce(source.patients, e.patients), coalesce(source.orders, e.orders)) as subject (patient, in_order)
    where subject.patient = any(${patients}) or (subject.patient is null and subject.in_order = any(${ids}))`
  return kind(
    'accesses',
    {
      ...times('e', 'recorded'),
      ...columns('e', 'operation interaction problem user_type user_id organization request_id'),
      orders: sql`array(${subjects} and subject.in_order is not null)`
    },
    // As in src/audit-api, same_as refers to an event of at most two hours before.
    sql`from audit_events e left join audit_events source on source.id = e.same_as
        and source.recorded <= e.recorded and source.recorded > e.recorded - interval '2 hours'
      where (${names('e')} or e.same_as = any(array(select s.id from audit_events s where ${names('s')})))
        and exists (${subjects})
      order by e.recorded, e.id`
  )
}
