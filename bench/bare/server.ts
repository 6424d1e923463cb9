import { createHash } from 'node:crypto'
import Fastify from 'fastify'
import postgres, { type ParameterOrJSON, type Row } from 'postgres'
import { v7 } from 'uuid'
import { searchText } from '../../src/platform/text/search-text.js'
import { publicUrl } from '../workloads/workload.js'
import {
  acceptStatement,
  bulkStatement,
  detailsStatement,
  listStatement,
  searchStatement,
  terminology
} from './statements.js'

/**
 * The minimum that can serve the same requests: hand-written SQL, no tokens, no validation, no
 * audit. The benchmark measures the additional work of the product against this server.
 */

/**
 * One client for each connection, because the queue of a client with several connections slows down
 * with age.
 */
const clients = Array.from({ length: 8 }, () =>
  postgres(process.env.DATABASE_URL ?? '', { max: 1, onnotice: () => {} })
)
let turn = 0

function query(statement: string, parameters: ParameterOrJSON<never>[] = []): Promise<Row[]> {
  const client = clients[turn++ % clients.length] as postgres.Sql
  return client.unsafe(statement, parameters, { prepare: true })
}

const json = 'application/json; charset=utf-8'
const app = Fastify({ bodyLimit: 10_485_760 })

const idOf = (url: string) => url.slice(url.lastIndexOf('/') + 1)

app.get('/health/ready', async () => {
  await query('select 1')
  return { status: 'ok' }
})

app.get<{ Params: { id: string } }>('/ssl-order/v1/order/:id/details', async ({ params }, reply) => {
  const [row] = await query(detailsStatement, [params.id])
  return reply
    .code(row ? 200 : 404)
    .type(json)
    .send(row?.body ?? '{}')
})

app.patch<{ Params: { id: string }; Body: [{ value: string }] }>(
  '/ssl-order/v1/order/:id',
  async ({ params, body: [{ value }] }, reply) => {
    const traced = await query(acceptStatement, [params.id, value, v7()])
    return reply.code(traced.length > 0 ? 204 : 409).send()
  }
)

const statuses = Object.fromEntries(
  terminology.codes('order-status').map((code) => [code, terminology.coding('order-status', code)])
)

const orderOf = (row: Row) => ({
  id: row.id,
  identifiers: row.identifiers,
  name: row.name,
  earliestDeliveryDate: row.earliest_delivery_date,
  latestDeliveryDate: row.latest_delivery_date,
  status: statuses[row.status],
  statusReason: null,
  priority: row.priority,
  notes: row.notes,
  awaiting: row.awaiting,
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
  },
  created: row.created_at.toISOString(),
  submitted: row.submitted_at.toISOString(),
  updated: row.changed_at.toISOString(),
  attention: [
    ...(row.answer_due_at < Date.now() ? ['UNANSWERED'] : []),
    ...(row.delivery_due_at && row.delivery_due_at < Date.now() ? ['LATE'] : []),
    ...(row.has_returned_line ? ['RETURNED'] : []),
    ...(row.awaiting ? ['QUESTION'] : [])
  ]
})

app.get<{ Querystring: { seller: string; status: string; limit: string } }>(
  '/ssl-order/v1/orders',
  async ({ query: { seller, status, limit } }) => {
    const rows = await query(listStatement, [idOf(seller), status, Number(limit)])
    return rows.map(orderOf)
  }
)

/** Splits an annotation filter, `<name>:<system>|<code>`. */
const annotationParts = (text: string) => /^([^:]*):(.*)\|([^|]*)$/.exec(text)?.slice(1) ?? []

app.get<{ Querystring: { buyer: string; patient: string; annotation: string[]; limit: string } }>(
  '/ssl-catalogue/v1/catalogue-items',
  async ({ query: { buyer, patient, annotation, limit } }, reply) => {
    const parameters = [idOf(buyer), patient, ...annotation.flatMap(annotationParts), Number(limit)]
    const [row] = await query(searchStatement, parameters)
    return reply.type(json).send(row?.body)
  }
)

interface Item {
  catalogueItemType: string
  identifiers: { system: string; value: string }[]
  catalogue: string
  name: string
  description: string
  status: string
  manufacturer: string
  model: string
  version: string
  annotations: { buyer: string; name: string; value: { system: string; code: string } }[]
}

app.post<{ Body: Item[] }>('/ssl-catalogue/v1/catalogue-items', async ({ body }, reply) => {
  const items = body.map((item) => ({ ...item, id: v7() }))
  const rows = items.map(({ catalogue, catalogueItemType, annotations: _, ...item }) => {
    const values = item.identifiers.map(({ value }) => value)
    return {
      ...item,
      catalogue_id: idOf(catalogue),
      type: catalogueItemType,
      search_text: searchText(item.name, item.model, item.manufacturer, ...values)
    }
  })
  const identifiers = rows.flatMap((row) =>
    row.identifiers.map(({ system, value }) => {
      const text = JSON.stringify([system, value])
      const digest = createHash('sha256').update(text).digest('base64')
      return { catalogue_id: row.catalogue_id, digest, item_id: row.id }
    })
  )
  const annotations = items.flatMap((item) =>
    item.annotations.map(({ buyer, name, value: { system, code } }) => {
      const { display = null } =
        terminology
          .annotationSet(name)
          .displayed.find((each) => each.code === code && each.system === system) ?? {}
      const stored = terminology.storedSystem(system)
      return { id: v7(), item_id: item.id, buyer_id: idOf(buyer), name, system: stored, code, display }
    })
  )
  const parameters = [rows, identifiers, annotations].map((each) => JSON.stringify(each))
  await query(bulkStatement, parameters)
  return reply.code(201).send(items.map(({ annotations: _, ...item }) => item))
})

await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT) })
process.once('SIGTERM', async () => {
  await app.close()
  for (const client of clients) await client.end({ timeout: 5 })
})
