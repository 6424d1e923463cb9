import type { LocalValueSet } from '../../src/terminology/local-value-sets.js'
import { createTerminology } from '../../src/terminology/terminology.js'
import { publicUrl } from '../workloads/workload.js'

/** The statements of the bare server. PostgreSQL makes the JSON of a response. */

const valueSets = 'https://valuesets.example/vs'
export const terminology = createTerminology({ base: valueSets, platformPrefix: 'ehealth' })

const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`

/** The coding of a code, from constants. */
function coding(column: string, set: LocalValueSet): string {
  const cases = terminology
    .codes(set)
    .map((code) => `when ${quoted(code)} then ${quoted(JSON.stringify(terminology.coding(set, code)))}::json`)
  return `case ${column} ${cases.join(' ')} end`
}

/** The URL of a resource by id. */
const url = (path: string, id: string) => `${quoted(`${publicUrl}/${path}/`)} || ${id}`

const change = (resource: string, id: string, set: LocalValueSet) => `json_build_object(
  'subject', ${url(`ssl-order/v1/${resource}`, id)},
  'oldStatus', ${coding('t.old_status', set)}, 'newStatus', ${coding('t.new_status', set)})`

const orderJson = `json_build_object(
  'id', o.id, 'identifiers', o.identifiers, 'name', o.name, 'status', ${coding('o.status', 'order-status')},
  'priority', o.priority, 'notes', o.notes,
  'buyer', ${url('ssl-order/v1/party', 'o.buyer_id')}, 'seller', ${url('ssl-order/v1/party', 'o.seller_id')},
  'receiver', json_build_object(
    'name', o.receiver_name, 'addressLine1', o.receiver_address_line1, 'addressLine2', o.receiver_address_line2,
    'postalCode', o.receiver_postal_code, 'postalDistrict', o.receiver_postal_district,
    'email', o.receiver_email, 'phone', o.receiver_phone, 'patient', o.patient))`

/** An order with its lines and trace; `$1` is its id. */
export const detailsStatement = `
  select json_build_object(
    'order', ${orderJson},
    'orderLines', (
      select coalesce(json_agg(json_build_object(
        'id', l.id, 'order', ${url('ssl-order/v1/order', 'l.order_id')},
        'status', ${coding('l.status', 'order-line-status')},
        'item', ${url('ssl-catalogue/v1/catalogue-item', 'l.item_id')},
        'action', ${coding('l.action', 'order-line-action')}) order by l.id), '[]')
      from order_lines l where l.order_id = o.id and l.deleted_at is null),
    'traceLines', (
      select coalesce(json_agg(json_build_object(
        'id', t.id, 'timestamp', to_char(t.timestamp at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
        'createdByOrganization', t.created_by_organization,
        'text', t.text, 'supplementaryText', t.supplementary_text, 'order', ${url('ssl-order/v1/order', 't.order_id')},
        'orderLine', ${url('ssl-order/v1/order-line', 't.order_line_id')},
        'statusChange', case when t.old_status is null then null
          when t.order_line_id is null then ${change('order', 't.order_id', 'order-status')}
          else ${change('order-line', 't.order_line_id', 'order-line-status')} end) order by t.seq), '[]')
      from trace_lines t where t.order_id = o.id)
  )::text as body
  from orders o where o.id = $1 and o.deleted_at is null`

/**
 * Moves an order from SUBMITTED and writes its trace.
 * $1 order, $2 new status, $3 id of the trace line.
 */
export const acceptStatement = `
  with moved as (
    update orders o set status = $2, revision = o.revision + 1, trace_count = o.trace_count + 1, changed_at = now()
    from parties p where o.id = $1 and o.status = 'SUBMITTED' and o.deleted_at is null and p.id = o.seller_id
    returning o.id, o.trace_count, p.name
  )
  insert into trace_lines
    (id, order_id, seq, timestamp, created_by_organization, code, text, supplementary_text, old_status, new_status)
  select $3::uuid, id, trace_count, now(), name, 'order-status-changed', 'Order status changed.',
    'Old value: SUBMITTED. New value: ' || $2 || '.', 'SUBMITTED', $2
  from moved returning 1`

/**
 * The newest orders of a seller in a status, at most `$3`. Each order is one row, and Node makes
 * the JSON.
 */
export const listStatement = `
  select id, identifiers, name, earliest_delivery_date, latest_delivery_date, status, priority, notes, awaiting, buyer_id,
    seller_id, receiver_name, receiver_address_line1, receiver_address_line2, receiver_postal_code, receiver_postal_district,
    receiver_email, receiver_phone, patient, created_at, submitted_at, changed_at, answer_due_at, delivery_due_at,
    has_returned_line
  from orders where seller_id = $1 and status = $2 and deleted_at is null order by id desc limit $3`

/**
 * The items that a buyer can order for a patient. Intersects both index ranges of annotations
 * first: in any other form the planner estimates a single row.
 * $1 buyer, $2 patient, $3–$5 and $6–$8 name, system and code of two annotations, $9 limit.
 */
export const searchStatement = `
  with page as (
    select i.* from (
      select item_id from annotations where buyer_id = $1 and name = $3 and system = $4 and code = $5
      intersect
      select item_id from annotations where buyer_id = $1 and name = $6 and system = $7 and code = $8
      offset 0
    ) a
    join catalogue_items i on i.id = a.item_id and i.status = 'AVAILABLE'
    join catalogues c on c.id = i.catalogue_id and c.status = 'ACTIVE'
    where c.seller_id = any (array(
        select k.seller_id from contract_buyers kb join contracts k on k.id = kb.contract_id
        where kb.buyer_id = $1 and k.first_day <= current_date and k.last_day >= current_date))
      and exists (select from white_list_entries w where w.buyer_id = $1 and w.item_id = i.id)
      and not exists (select from black_list_entries e where e.patient = $2 and e.item_id = i.id)
    order by i.sort_name, i.id limit $9
  )
  select coalesce(json_agg(case i.type
    when 'DeviceModel' then json_build_object(
      'id', i.id, 'catalogueItemType', i.type, 'identifiers', i.identifiers,
      'catalogue', ${url('ssl-catalogue/v1/catalogue', 'i.catalogue_id')}, 'name', i.name,
      'description', i.description, 'status', i.status, 'annotations', n.annotations,
      'manufacturer', i.manufacturer, 'model', i.model, 'version', i.version)
    else json_build_object(
      'id', i.id, 'catalogueItemType', i.type, 'identifiers', i.identifiers,
      'catalogue', ${url('ssl-catalogue/v1/catalogue', 'i.catalogue_id')}, 'name', i.name,
      'description', i.description, 'status', i.status, 'annotations', n.annotations,
      'relatedTo', ${url('ssl-catalogue/v1/catalogue-item', 'i.related_to_id')},
      'serviceType', ${coding('i.service_type', 'service-type')})
    end order by i.sort_name, i.id), '[]')::text as body
  from page i cross join lateral (
    select coalesce(json_agg(json_build_object(
      'id', a.id, 'catalogueItem', ${url('ssl-catalogue/v1/catalogue-item', 'a.item_id')},
      'buyer', ${url('ssl-order/v1/party', 'a.buyer_id')}, 'name', a.name,
      'value', json_build_object(
        'system', regexp_replace(a.system, '^~/', ${quoted(`${valueSets}/`)}), 'code', a.code, 'display', a.display)
    ) order by a.id), '[]') as annotations
    from annotations a where a.item_id = i.id and a.buyer_id = $1) n`

/** Creates items, identifiers and annotations, each from one JSON parameter. */
export const bulkStatement = `
  with items as (
    insert into catalogue_items (id, catalogue_id, type, identifiers, name, description, status, manufacturer, model,
      version, search_text, created_at)
    select id, catalogue_id, type, identifiers, name, description, status, manufacturer, model, version,
      search_text, now()
    from json_to_recordset($1::text::json) as r(id uuid, catalogue_id uuid, type text, identifiers jsonb, name text,
      description text, status text, manufacturer text, model text, version text, search_text text)
  ), identifiers as (
    insert into item_identifiers (catalogue_id, digest, item_id)
    select catalogue_id, digest, item_id
    from json_to_recordset($2::text::json) as r(catalogue_id uuid, digest text, item_id uuid)
  )
  insert into annotations (id, item_id, buyer_id, name, system, code, display, created_at)
  select id, item_id, buyer_id, name, system, code, display, now()
  from json_to_recordset($3::text::json)
    as r(id uuid, item_id uuid, buyer_id uuid, name text, system text, code text, display text)`
