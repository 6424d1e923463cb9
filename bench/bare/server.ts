import Fastify from 'fastify'
import postgres, { type Sql } from 'postgres'
import { v7 } from 'uuid'
import { bulkRows, bulkStatement } from './bulk.js'
import {
  acceptStatement,
  detailsStatement,
  listSchema,
  listStatement,
  type OrderRow,
  viewOrder
} from './orders.js'
import { searchStatements } from './search.js'

type Parameter = string | number | boolean | null

interface Connection {
  sql: Sql
  pending: number
}

/**
 * A few connections, each with its own client, of which the least busy is used: the queue of a
 * client with several connections slows down with age. Statements are prepared.
 */
function openClients(url: string, count: number) {
  const connections = Array.from({ length: count }, (): Connection => {
    const sql = postgres(url, { max: 1, onnotice: () => {}, connection: { application_name: 'bare' } })
    return { sql, pending: 0 }
  })
  return {
    async query<Row>(text: string, parameters: Parameter[]): Promise<Row[]> {
      let least = connections[0] as Connection
      for (const each of connections) if (each.pending < least.pending) least = each
      least.pending++
      try {
        return (await least.sql.unsafe(text, parameters, { prepare: true })) as unknown as Row[]
      } finally {
        least.pending--
      }
    },
    close: () => Promise.all(connections.map(({ sql }) => sql.end({ timeout: 5 })))
  }
}

/**
 * The minimum that can serve the same requests: hand-written SQL, no tokens, no validation, no
 * audit. The additional work of the product is measured against this.
 */

const database = openClients(process.env.DATABASE_URL ?? '', 8)
const search = process.env.SEARCH === 'model' ? searchStatements.model : searchStatements.tables
const json = 'application/json; charset=utf-8'
const app = Fastify({ bodyLimit: 10_485_760 })

const idOf = (url: string) => url.slice(url.lastIndexOf('/') + 1)

app.get('/health/ready', async () => {
  await database.query('select 1', [])
  return { status: 'ok' }
})

app.get<{ Params: { id: string } }>('/ssl-order/v1/order/:id/details', async (request, reply) => {
  const [row] = await database.query<{ body: string }>(detailsStatement, [request.params.id])
  return reply
    .code(row ? 200 : 404)
    .type(json)
    .send(row?.body ?? '{}')
})

/** Splits an annotation filter, `<name>:<system>|<code>`. */
function annotationParts(text: string): [name: string, system: string, code: string] {
  const [colon, bar] = [text.indexOf(':'), text.lastIndexOf('|')]
  return [text.slice(0, colon), text.slice(colon + 1, bar), text.slice(bar + 1)]
}

interface SearchQuery {
  buyer: string
  patient: string
  annotation: [string, string]
  limit: string
}

app.get<{ Querystring: SearchQuery }>('/ssl-catalogue/v1/catalogue-items', async (request, reply) => {
  const { buyer, patient, annotation, limit } = request.query
  const [row] = await database.query<{ body: string }>(search, [
    idOf(buyer),
    patient,
    ...annotationParts(annotation[0]),
    ...annotationParts(annotation[1]),
    Number(limit)
  ])
  return reply.type(json).send(row?.body)
})

app.get<{ Querystring: { seller: string; status: string; limit: string } }>(
  '/ssl-order/v1/orders',
  { schema: { response: { 200: listSchema } } },
  async ({ query: { seller, status, limit } }) => {
    const rows = await database.query<OrderRow>(listStatement, [idOf(seller), status, Number(limit)])
    return rows.map(viewOrder)
  }
)

app.patch<{ Params: { id: string }; Body: [{ value: string }] }>(
  '/ssl-order/v1/order/:id',
  async (request, reply) => {
    const [{ value }] = request.body
    const traced = await database.query(acceptStatement, [request.params.id, value, v7()])
    return reply.code(traced.length > 0 ? 204 : 409).send()
  }
)

app.post<{ Body: Parameters<typeof bulkRows>[0] }>(
  '/ssl-catalogue/v1/catalogue-items',
  async (request, reply) => {
    const { parameters, answer } = bulkRows(request.body)
    await database.query(bulkStatement, parameters)
    return reply.code(201).send(answer)
  }
)

await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT) })
for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, () => void app.close().then(() => database.close()))
