import { coding, moment, url } from './json.js'

/** An order with its lines and its trace as one JSON text; `$1` is its id. */
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
          end) order by t.timestamp, t.seq), '[]')
      from trace_lines t where t.order_id = o.id)
  )::text as body
  from orders o where o.id = $1 and o.deleted_at is null`
