import { coding, moment, publicUrl, terminology, url } from './json.js'

/** An order with its lines and trace as one JSON text; `$1` is its id. */
export const detailsStatement = `
  select json_build_object(
    'order', json_build_object(
      'id', o.id, 'identifiers', o.identifiers, 'name', o.name, 'status', ${coding('o.status', 'order-status')},
      'priority', o.priority, 'notes', o.notes,
      'buyer', ${url('ssl-order/v1/party', 'o.buyer_id')}, 'seller', ${url('ssl-order/v1/party', 'o.seller_id')},
      'receiver', json_build_object(
        'name', o.receiver_name, 'addressLine1', o.receiver_address_line1, 'addressLine2', o.receiver_address_line2,
        'postalCode', o.receiver_postal_code, 'postalDistrict', o.receiver_postal_district,
        'email', o.receiver_email, 'phone', o.receiver_phone, 'patient', o.patient)),
    'orderLines', (
      select coalesce(json_agg(json_build_object(
        'id', l.id, 'order', ${url('ssl-order/v1/order', 'l.order_id')},
        'status', ${coding('l.status', 'order-line-status')},
        'item', ${url('ssl-catalogue/v1/catalogue-item', 'l.item_id')},
        'action', ${coding('l.action', 'order-line-action')}) order by l.id), '[]')
      from order_lines l where l.order_id = o.id and l.deleted_at is null),
    'traceLines', (
      select coalesce(json_agg(json_build_object(
        'id', t.id, 'timestamp', ${moment('t.timestamp')}, 'createdByOrganization', t.created_by_organization,
        'text', t.text, 'supplementaryText', t.supplementary_text, 'order', ${url('ssl-order/v1/order', 't.order_id')},
        'orderLine', ${url('ssl-order/v1/order-line', 't.order_line_id')},
        'statusChange', case
          when t.old_status is null then null
          when t.order_line_id is null then json_build_object(
            'subject', ${url('ssl-order/v1/order', 't.order_id')},
            'oldStatus', ${coding('t.old_status', 'order-status')},
            'newStatus', ${coding('t.new_status', 'order-status')})
          else json_build_object(
            'subject', ${url('ssl-order/v1/order-line', 't.order_line_id')},
            'oldStatus', ${coding('t.old_status', 'order-line-status')},
            'newStatus', ${coding('t.new_status', 'order-line-status')})
          end) order by t.seq), '[]')
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
    (id, order_id, seq, timestamp, created_by_organization, text, supplementary_text, old_status, new_status)
  select $3::uuid, id, trace_count, now(), name, 'Order status changed.', 'Old value: SUBMITTED. New value: ' || $2 || '.', 'SUBMITTED', $2
  from moved returning 1`

/** The newest orders of a seller in a status, at most `$3`. */
export const listStatement = `
  select id, identifiers, name, status, priority, notes, buyer_id, seller_id, receiver_name, receiver_address_line1,
    receiver_address_line2, receiver_postal_code, receiver_postal_district, receiver_email, receiver_phone, patient
  from orders where seller_id = $1 and status = $2 and deleted_at is null
  order by id desc limit $3`

export interface OrderRow {
  id: string
  identifiers: object[]
  name: string | null
  status: string
  priority: boolean
  notes: object[]
  buyer_id: string
  seller_id: string
  receiver_name: string
  receiver_address_line1: string | null
  receiver_address_line2: string | null
  receiver_postal_code: string | null
  receiver_postal_district: string | null
  receiver_email: string | null
  receiver_phone: string | null
  patient: string
}

const codings = Object.fromEntries(
  terminology.codes('order-status').map((code) => [code, terminology.coding('order-status', code)])
)

export function viewOrder(row: OrderRow) {
  return {
    id: row.id,
    identifiers: row.identifiers,
    name: row.name,
    status: codings[row.status],
    priority: row.priority,
    notes: row.notes,
    buyer: `${publicUrl}/ssl-order/v1/party/${row.buyer_id}`,
    seller: `${publicUrl}/ssl-order/v1/party/${row.seller_id}`,
    receiver: {
      name: row.receiver_name,
      addressLine1: row.receiver_address_line1,
      addressLine2: row.receiver_address_line2,
      postalCode: row.receiver_postal_code,
      postalDistrict: row.receiver_postal_district,
      email: row.receiver_email,
      phone: row.receiver_phone,
      patient: row.patient
    }
  }
}

const text = { type: 'string' }
const perhaps = { type: ['string', 'null'] }
const members = (names: string, type: object) =>
  Object.fromEntries(names.split(' ').map((name) => [name, type]))
const object = (properties: object) => ({ type: 'object', properties })

/** The schema that serializes the response. */
export const listSchema = {
  type: 'array',
  items: object({
    ...members('id buyer seller', text),
    name: perhaps,
    priority: { type: 'boolean' },
    identifiers: { type: 'array', items: object({ ...members('system value', text), assigner: perhaps }) },
    status: object({ ...members('system code', text), display: perhaps }),
    notes: {
      type: 'array',
      items: object(members('timestamp authorName authorOrganization note', text))
    },
    receiver: object({
      ...members('name patient', text),
      ...members('addressLine1 addressLine2 postalCode postalDistrict email phone', perhaps)
    })
  })
}
