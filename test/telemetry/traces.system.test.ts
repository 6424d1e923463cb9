import postgres from 'postgres'
import t, { type Test } from 'tap'
import { cloneDatabase } from '../fixtures/app.js'
import { tokenOf } from '../fixtures/callers.js'
import { startCollector } from '../fixtures/collector.js'
import { fhirServer } from '../fixtures/fhir/server.js'
import { readyServer } from '../fixtures/server.js'

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const parentId = '00f067aa0ba902b7'
const authorization = tokenOf('AdministrativeClerk', 'o')

async function clinicalBackend(t: Test) {
  const fhir = await fhirServer(t)
  await fhir.keep(...['o', 'p'].map((id) => ({ resourceType: 'Organization', id })))
  return fhir
}

t.test('a traced request continues the trace of its caller', async (t) => {
  const collector = await startCollector(t)
  const clinical = await clinicalBackend(t)
  const server = await readyServer(t, {
    DATABASE_URL: await cloneDatabase(t),
    CLINICAL_FHIR_URL: clinical.base,
    OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/`,
    OTEL_TRACES_SAMPLER_ARG: '0',
    LOG_LEVEL: 'info'
  })
  const headers = { authorization, 'content-type': 'application/json' }
  const post = (organization: string, more: Record<string, string>) =>
    fetch(`${server.url}/ssl-order/v1/party`, {
      method: 'POST',
      headers: { ...headers, ...more },
      body: JSON.stringify({
        allowedRoles: ['SELLER'],
        name: 'Region',
        organization: `${clinical.base}/Organization/${organization}`
      })
    })

  await post('p', {})
  await post('o', { traceparent: `00-${traceId}-${parentId}-01`, baggage: 'secret=planted' })
  const request = await collector.span(({ name }) => name === 'POST /ssl-order/v1/party')
  t.match(request, {
    traceId,
    parentSpanId: parentId,
    attributes: { 'http.route': '/ssl-order/v1/party', 'http.request.method': 'POST' }
  })
  const upstream = collector.spans().find(({ name }) => name === 'GET clinical')
  t.match(
    upstream,
    { traceId, parentSpanId: request.spanId },
    'the call of the clinical backend is part of it'
  )
  const sent = (await clinical.received()).at(-1)?.headers
  t.match(sent?.traceparent, new RegExp(`^00-${traceId}-[0-9a-f]{16}-01$`), 'and passes the trace on')
  t.notMatch(JSON.stringify(await clinical.received()), /baggage|planted/, 'but no baggage')
  t.match(server.output(), new RegExp(`"traceId":"${traceId}"[^\\n]*"request completed"`))
  t.same(
    [...new Set(collector.spans().map((span) => span.traceId))],
    [traceId],
    'the ratio 0 records no others'
  )
})

t.test('the span of a request whose audit record fails has the code of its response', async (t) => {
  const collector = await startCollector(t)
  const databaseUrl = await cloneDatabase(t)
  const server = await readyServer(t, {
    DATABASE_URL: databaseUrl,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url
  })
  const sql = postgres(databaseUrl, { max: 1 })
  await sql`alter table audit_events add constraint broken check (false) not valid`
  await sql.end()
  const headers = { authorization, traceparent: `00-${traceId}-${parentId}-01` }
  const response = await fetch(`${server.url}/ssl-order/v1/orders`, { headers })
  t.match(await response.json(), { code: 'database-unavailable' })
  const { attributes } = await collector.span(({ name }) => name === 'GET /ssl-order/v1/orders')
  t.match(attributes, { 'error.type': 'database-unavailable' }, 'not that of the refusal that it replaces')
})

t.test('without the setting nothing is traced', async (t) => {
  const clinical = await clinicalBackend(t)
  const server = await readyServer(t, {
    DATABASE_URL: await cloneDatabase(t),
    CLINICAL_FHIR_URL: clinical.base,
    LOG_LEVEL: 'info'
  })
  await fetch(`${server.url}/ssl-order/v1/party`, {
    method: 'POST',
    headers: {
      authorization,
      'content-type': 'application/json',
      traceparent: `00-${traceId}-${parentId}-01`
    },
    body: JSON.stringify({
      allowedRoles: ['SELLER'],
      name: 'Region',
      organization: `${clinical.base}/Organization/o`
    })
  })
  t.same(
    (await clinical.received()).map(({ headers }) => headers.traceparent),
    [undefined]
  )
  t.notMatch(server.output(), /traceId/)
})
