import t from 'tap'
import { parseStoredPatient } from '../../src/audit/stored-patient.js'
import { testApp } from '../fixtures/app.js'
import { requestIdOf } from '../fixtures/audit/rows.js'
import { auditTable } from '../fixtures/audit/table.js'
import { type Document, operationsOf } from '../fixtures/documents.js'
import { excel } from '../fixtures/excel/client.js'
import { populatedWorld } from '../fixtures/routes/populated-world.js'
import { outcome } from '../fixtures/routes/refusal.js'
import { catalogue, orders } from '../fixtures/world.js'

/** Whether a schema has a member or parameter with one of these names, at any depth. */
function mentions(
  names: readonly string[],
  document: Document,
  part: unknown,
  seen = new Set<unknown>()
): boolean {
  if (typeof part !== 'object' || part === null || seen.has(part)) return false
  seen.add(part)
  return Object.entries(part).some(([key, value]) => {
    if (key === '$ref') {
      const definition = document.definitions[String(value).split('/').at(-1) ?? '']
      return mentions(names, document, definition, seen)
    }
    if (key === 'properties' && names.some((name) => name in value)) return true
    return (key === 'name' && names.includes(value)) || mentions(names, document, value, seen)
  })
}

t.test('the table has every operation on patient data', async (t) => {
  const app = await testApp(t)
  const declared: string[] = []
  const mentioning: string[] = []
  for (const api of [orders, catalogue, excel]) {
    const document: Document = (await app.as().get(`${api}/openapi.json`, 200)).body
    for (const [, operation] of operationsOf(document)) {
      const isSearch = operation.parameters?.some(({ name }) => name === 'patient')
      if (isSearch || operation.description?.includes('Reads or writes patient data'))
        declared.push(operation.operationId)
      const data = [operation.parameters, operation.responses]
      if (data.some((part) => mentions(['patient', 'order', 'orderLine', 'receiver'], document, part)))
        mentioning.push(operation.operationId)
    }
  }
  // Lists in the singular are not documented. Their rows are those of the documented lists.
  const aliases = declared
    .map((operation) => `${operation}Singular`)
    .filter((operation) => /^list(Order|OrderLine|BlackList|CatalogueItem)Singular$/.test(operation))
  t.equal(aliases.length, 4)
  t.same([...declared, ...aliases].sort(), Object.keys(auditTable).sort())
  t.ok(mentioning.length > 15)
  t.same(
    mentioning.filter((each) => !declared.includes(each)),
    // Recorded if the events name orders.
    ['listOrderEvents', 'listCatalogueEvents']
  )
})

interface Row {
  request_id: string
  operation: string
  problem: string | null
  patients: (string | null)[]
  orders: (string | null)[]
}

t.test('a record names the patients and orders found or requested', async (t) => {
  const app = await testApp(t, { AUDIT_PATIENTS: 'reference' })
  const g = await populatedWorld(app)
  for (const [operation, cases] of Object.entries(auditTable))
    for (const [at, { by, of = async () => g.order, request, wanted, names }] of cases.entries()) {
      const title = `${operation} ${at}: ${wanted}`
      const about = await of(g)
      const sent = await request(g, about)
      const id = requestIdOf(`${operation}-${at}`)
      const response = await g[by].send({ ...sent, headers: { ...sent.headers, 'x-request-id': id } })
      t.equal(outcome(response), wanted, title)
      const rows = await app.sql<Row[]>`
        select request_id, operation, problem, to_json(patients) as patients, to_json(orders) as orders
        from audit_events where request_id = ${id}`
      if (names === 'no record') {
        t.same(rows, [], title)
        continue
      }
      const pairs = rows[0]?.patients.map(
        (patient, index) => `${patient && parseStoredPatient(patient).reference} ${rows[0]?.orders[index]}`
      )
      const wantedPairs = names(about, response).map(([patient, order]) => `${patient} ${order}`)
      t.same(pairs?.sort(), wantedPairs.sort(), title)
      t.match(rows, [{ operation, problem: response.status < 400 ? null : response.body.code }], title)
      t.equal(rows.length, 1, `${title}: one record`)
    }
})
