import { publicUrl, terminology } from './json.js'

/** The newest orders of a seller in a status; `$3` at most. */
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

/** The schema by which the answer is written. */
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
