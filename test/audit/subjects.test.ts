import type { InjectOptions } from 'fastify'
import t from 'tap'
import { testApp } from '../fixtures/app.js'
import { requestIdOf } from '../fixtures/audit/rows.js'
import type { ApiResponse } from '../fixtures/callers.js'
import { type Document, operationsOf } from '../fixtures/documents.js'
import { excel } from '../fixtures/excel/client.js'
import { idOf, unknownId } from '../fixtures/routes/addresses.js'
import { type PopulatedWorld, populatedWorld } from '../fixtures/routes/populated-world.js'
import { outcome, payloadOf } from '../fixtures/routes/refusal.js'
import { add, catalogue, orders, patient, replace, transitionTo, withQuery } from '../fixtures/world.js'

/** A patient, an order, or an order of a patient, as named by an audit record. */
type Named = [patient: string | null, order: string | null]

/** A call of an operation, and the expected subjects of its audit record. */
interface Case {
  by: 'nurse' | 'otherNurse' | 'provider' | 'clerk'
  /** Creates the resource of the request, by default the order of the world. */
  of: ((g: PopulatedWorld) => Promise<string>) | undefined
  request: (g: PopulatedWorld, of: string) => InjectOptions | Promise<InjectOptions>
  /** Status, code and pointer. */
  wanted: string
  names: ((of: string, response: ApiResponse) => Named[]) | 'no record'
}

/** A case with its caller. */
const by =
  (caller: Case['by']) =>
  (request: Case['request'], wanted: string, names: Case['names'], of?: Case['of']): Case => ({
    ...{ by: caller, of, request, wanted, names }
  })
const [nurse, otherNurse, provider, clerk] = [by('nurse'), by('otherNurse'), by('provider'), by('clerk')]

type Request = (url: string) => InjectOptions

const get: Request = (url) => ({ method: 'GET', url })
const remove: Request = (url) => ({ method: 'DELETE', url })
const post = (url: string, body: unknown): InjectOptions => ({ method: 'POST', url, ...payloadOf(body) })
const patch = (url: string, body: unknown): InjectOptions => ({ method: 'PATCH', url, ...payloadOf(body) })

const nobody = (): Named[] => []
const onlyPatient = (name: string) => (): Named[] => [[patient(name), null]]
const onlyOrder = (order: string): Named[] => [[null, idOf(order)]]
const both = (order: string, name = 'p1'): Named[] => [[patient(name), idOf(order)]]
/** The order and its patient. */
const whole = (order: string) => both(order)

/**
 * An order or a part of it, requested by callers without access, and unknown ids. The record names
 * the order, so that its buyer finds the attempt.
 */
const hidden = (
  path: string,
  part: 'order' | 'line' | 'trace',
  request: Request,
  unknown: Named[]
): Case[] => {
  const to = (g: PopulatedWorld) => request(`${path}/${idOf(g[part])}`)
  return [
    otherNurse(to, '404 not-found', onlyOrder),
    clerk(to, '403 forbidden', onlyOrder),
    nurse(() => request(`${path}/no-id`), '404 not-found', nobody),
    unknownOf(path, request, unknown)
  ]
}

/** An unused id. */
const unknownOf = (path: string, request: Request, names: Named[] = []): Case =>
  nurse(
    () => request(`${path}/${unknownId}`),
    '404 not-found',
    () => names
  )

/**
 * The expected subjects in the audit record of each operation on patient data, written by hand:
 * those found if it succeeds, those requested if not.
 */

const order = `${orders}/order`
const line = `${orders}/order-line`
const trace = `${orders}/trace-line`
const event = `${orders}/audit-event`
const black = `${catalogue}/black-list`
const of = (path: string, url: string) => `${path}/${idOf(url)}`

const p1 = { receiver: { name: 'R', patient: patient('p1') } }
const toPatient = (name: string) => [replace('/receiver/patient', patient(name))]
const newDraft = (g: PopulatedWorld) => g.createDraft()
const unknownOrder = onlyOrder(unknownId)

const newLine = (g: PopulatedWorld, order: string, more: object = {}) =>
  post(line, { order, item: g.monitor, action: 'DELIVER', ...more })

const patchLines = (g: PopulatedWorld, operations: unknown) =>
  patch(`${orders}/order-lines`, [{ line: g.line, patch: operations }])

const readsOrder = (rest = ''): Case[] => [
  nurse((g) => get(of(order, g.order) + rest), '200', whole),
  provider((g) => get(of(order, g.order) + rest), '200', whole),
  ...hidden(order, 'order', (url) => get(url + rest), unknownOrder)
]

const listed = (_: string, { body }: ApiResponse): Named[] =>
  body.map((each: { id: string; receiver: { patient: string } }) => [each.receiver.patient, each.id])

const listsOrders = (url: string): Case[] => [
  nurse(() => get(url), '200 some', listed),
  provider(() => get(ofPatient(url, 'p1')), '200 some', listed),
  ...namesPatient(url)
]

const ofPatient = (url: string, name: string, more: object = {}) =>
  withQuery(url, { patient: patient(name), ...more })

/** A list by a patient that is empty or rejected. */
const namesPatient = (url: string, wanted = '200 none'): Case[] => {
  const names = onlyPatient('none')
  const refusal = '400 invalid-query /limit'
  return [
    nurse(() => get(ofPatient(url, 'none')), wanted, names),
    clerk(() => get(ofPatient(url, 'none')), '403 forbidden', names),
    nurse(() => get(ofPatient(url, 'none', { limit: '0' })), refusal, names)
  ]
}

/** A list by an order. */
const listsOf = (url: string): Case[] => {
  const request = (g: PopulatedWorld) => get(withQuery(url, { order: g.order }))
  return [
    nurse(request, '200 some', whole),
    provider(request, '200 some', whole),
    otherNurse(request, '200 none', onlyOrder),
    clerk(request, '403 forbidden', onlyOrder),
    nurse((g) => get(withQuery(url, { order: g.order, limit: '0' })), '400 invalid-query /limit', onlyOrder)
  ]
}

const listsBlackList = (url: string): Case[] => [
  nurse(() => get(ofPatient(url, 'listed')), '200 some', onlyPatient('listed')),
  nurse(() => get(url), '400 invalid-query /patient', nobody),
  ...namesPatient(url)
]

/** Searches without a patient are not recorded. */
const searchesItems = (url: string): Case[] => [
  nurse(() => get(url), '200 some', 'no record'),
  ...namesPatient(url, '200 some')
]

const ask = (g: PopulatedWorld) =>
  post(`${orders}/orderability`, { buyer: g.buyer, patient: patient('asked'), items: [g.monitor] })
const listItem = (g: PopulatedWorld, name: string, item = g.monitor) =>
  post(black, { patient: patient(name), item })
const byLine = (g: PopulatedWorld) => get(withQuery(`${orders}/trace-lines`, { orderLine: g.line }))
const events = (g: PopulatedWorld) => get(ofPatient(`${orders}/audit-events`, 'p1', { order: g.order }))
const orderAndPatient = (url: string) => [...onlyPatient('p1')(), ...onlyOrder(url)]

const auditTable: Readonly<Record<string, readonly Case[]>> = {
  createOrder: [
    nurse(
      (g) => post(order, g.draft()),
      '201',
      (_, { headers }) => both(headers.location ?? '')
    ),
    nurse(
      (g) => post(order, g.draft({ status: 'SUBMITTED' })),
      '422 not-initial-status /status',
      onlyPatient('p1')
    ),
    otherNurse((g) => post(order, g.draft()), '422 dangling-reference /buyer', onlyPatient('p1')),
    nurse(
      (g) => {
        const receiver = { name: 'R', clinicalRef: patient('earlier') }
        return post(order, g.draft({ seller: g.catalogue, receiver }))
      },
      '422 dangling-reference /seller',
      onlyPatient('earlier')
    ),
    provider((g) => post(order, g.draft()), '403 forbidden', nobody),
    nurse(() => post(order, p1), '400 invalid-body /buyer', nobody)
  ],
  checkOrderability: [
    nurse(ask, '200 some', onlyPatient('asked')),
    otherNurse(ask, '422 dangling-reference /buyer', onlyPatient('asked')),
    provider(ask, '403 forbidden', nobody),
    nurse(() => post(`${orders}/orderability`, p1), '400 invalid-body /buyer', nobody)
  ],
  getOrder: readsOrder(),
  getOrderDetails: readsOrder('/details'),
  patchOrder: [
    provider((_, url) => patch(of(order, url), []), '204', whole),
    nurse((_, url) => patch(of(order, url), transitionTo('DRAFT')), '409 illegal-transition', whole),
    nurse((_, url) => patch(of(order, url), transitionTo('ACCEPTED')), '403 not-your-move', whole),
    nurse((_, url) => patch(of(order, url), [add('/name', 'N')]), '422 order-not-draft /0/value', whole),
    nurse((_, url) => patch(of(order, url), {}), '400 invalid-body', onlyOrder),
    nurse(
      (_, draft) => patch(of(order, draft), toPatient('p2')),
      '204',
      (draft) => [...both(draft), ...both(draft, 'p2')],
      newDraft
    ),
    nurse(
      (g, draft) => patch(of(order, draft), [...toPatient('p3'), replace('/buyer', g.otherBuyer)]),
      '422 dangling-reference /1/value',
      (draft) => [...both(draft), ...onlyPatient('p3')()],
      newDraft
    ),
    ...hidden(order, 'order', (url) => patch(url, []), unknownOrder)
  ],
  deleteOrder: [
    nurse((_, draft) => remove(of(order, draft)), '204', whole, newDraft),
    nurse((_, url) => remove(of(order, url)), '409 not-deletable', whole),
    ...hidden(order, 'order', remove, unknownOrder)
  ],
  listOrder: listsOrders(`${orders}/orders`),
  listOrderSingular: listsOrders(order),

  createOrderLine: [
    nurse(newLine, '201', whole, newDraft),
    nurse(newLine, '422 order-not-draft /order', whole),
    nurse((g, url) => newLine(g, url, { item: url }), '422 dangling-reference /item', whole),
    otherNurse(newLine, '422 dangling-reference /order', onlyOrder),
    nurse((g) => newLine(g, g.contract), '422 dangling-reference /order', nobody),
    provider(newLine, '403 forbidden', nobody)
  ],
  getOrderLine: [provider((g) => get(of(line, g.line)), '200', whole), ...hidden(line, 'line', get, [])],
  patchOrderLine: [
    nurse((g) => patch(of(line, g.line), []), '204', whole),
    nurse((g) => patch(of(line, g.line), transitionTo('SUBMITTED')), '409 illegal-transition', whole),
    nurse((g) => patch(of(line, g.line), {}), '400 invalid-body', onlyOrder),
    ...hidden(line, 'line', (url) => patch(url, []), [])
  ],
  patchOrderLines: [
    nurse((g) => patchLines(g, []), '204', whole),
    nurse((g) => patchLines(g, transitionTo('SUBMITTED')), '409 illegal-transition /0/patch', whole),
    nurse((g) => patchLines(g, {}), '400 invalid-body /0/patch', onlyOrder),
    otherNurse((g) => patchLines(g, []), '422 dangling-reference /0/line', onlyOrder),
    clerk((g) => patchLines(g, []), '403 forbidden', nobody)
  ],
  deleteOrderLine: [
    nurse(async (g, draft) => remove(of(line, await g.addLine(draft))), '204', whole, newDraft),
    nurse((g) => remove(of(line, g.line)), '409 not-deletable', whole),
    ...hidden(line, 'line', remove, [])
  ],
  listOrderLine: [...listsOf(`${orders}/order-lines`), ...namesPatient(`${orders}/order-lines`)],
  listOrderLineSingular: [...listsOf(line), ...namesPatient(line)],

  getTraceLine: [nurse((g) => get(g.trace), '200', whole), ...hidden(trace, 'trace', get, [])],
  listOrderStatistics: [
    nurse(
      () => get(`${orders}/order-statistics?from=2020-01-01&to=2020-12-31&groupBy=month`),
      '200 none',
      nobody
    )
  ],

  listTraceLine: [
    ...listsOf(`${orders}/trace-lines`),
    nurse(byLine, '200 some', whole),
    otherNurse(byLine, '200 none', onlyOrder),
    clerk(byLine, '403 forbidden', onlyOrder),
    nurse(() => get(`${orders}/trace-lines`), '400 invalid-query /order', nobody)
  ],

  getAuditEvent: [
    nurse(
      (_, url) => get(url),
      '200',
      nobody,
      async (g) => {
        const { body } = await g.nurse.get(withQuery(`${orders}/audit-events`, { order: g.order }), 200)
        return `${event}/${body[0].id}`
      }
    ),
    unknownOf(event, get),
    clerk(() => get(`${event}/${unknownId}`), '403 forbidden', nobody)
  ],
  listAuditEvent: [
    nurse(events, '200 some', orderAndPatient),
    otherNurse(events, '200 none', orderAndPatient),
    clerk(events, '403 forbidden', orderAndPatient)
  ],

  createBlackList: [
    nurse((g) => listItem(g, 'new'), '201', onlyPatient('new')),
    nurse((g) => listItem(g, 'listed'), '409 duplicate-entry', onlyPatient('listed')),
    nurse((g) => listItem(g, 'new', g.order), '422 dangling-reference /item', onlyPatient('new')),
    clerk((g) => listItem(g, 'new'), '403 forbidden', nobody)
  ],
  getBlackList: [
    nurse((g) => get(of(black, g.blackEntry)), '200', onlyPatient('listed')),
    clerk((g) => get(of(black, g.blackEntry)), '403 forbidden', nobody),
    unknownOf(black, get)
  ],
  deleteBlackList: [
    clerk((g) => remove(of(black, g.blackEntry)), '403 forbidden', nobody),
    nurse(
      (_, entry) => remove(of(black, entry)),
      '204',
      onlyPatient('gone'),
      (g) => g.nurse.create(black, { patient: patient('gone'), item: g.monitor })
    ),
    unknownOf(black, remove)
  ],
  listBlackList: listsBlackList(`${catalogue}/black-lists`),
  listBlackListSingular: listsBlackList(black),

  listCatalogueItem: searchesItems(`${catalogue}/catalogue-items`),
  listCatalogueItemSingular: searchesItems(`${catalogue}/catalogue-item`)
}

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
  // Lists in the singular are not documented. They use the rows of the documented lists.
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
  const app = await testApp(t)
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
      const pairs = rows[0]?.patients.map((patient, index) => `${patient} ${rows[0]?.orders[index]}`)
      const wantedPairs = names(about, response).map(
        ([patient, order]) => `${patient && app.app.audit.patientHash(patient)} ${order}`
      )
      t.same(pairs?.sort(), wantedPairs.sort(), title)
      t.match(rows, [{ operation, problem: response.status < 400 ? null : response.body.code }], title)
      t.equal(rows.length, 1, `${title}: one record`)
    }
})
