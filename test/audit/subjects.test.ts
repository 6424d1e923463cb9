import type { InjectOptions } from 'fastify'
import t from 'tap'
import { parseStoredPatient } from '../../src/audit/stored-patient.js'
import { testApp } from '../fixtures/app.js'
import { requestIdOf } from '../fixtures/audit/rows.js'
import type { ApiResponse } from '../fixtures/callers.js'
import { type Document, operationsOf } from '../fixtures/documents.js'
import { excel } from '../fixtures/excel/client.js'
import { idOf, unknownId } from '../fixtures/routes/addresses.js'
import { type PopulatedWorld, populatedWorld } from '../fixtures/routes/populated-world.js'
import { outcome, payloadOf } from '../fixtures/routes/refusal.js'
import { catalogue, moveTo, orders, patient } from '../fixtures/world.js'

/** A patient, an order, or an order of a patient, as named by an audit record. */
type Named = [patient: string | null, order: string | null]

/** A call of an operation, and the expected subjects of its audit record. */
interface Case {
  by: 'nurse' | 'otherNurse' | 'provider' | 'clerk'
  /** Makes what the request is about, by default the order of the world. */
  of?: (g: PopulatedWorld) => Promise<string>
  request: (g: PopulatedWorld, of: string) => InjectOptions | Promise<InjectOptions>
  /** Status, code and pointer. */
  wanted: string
  names: ((of: string, response: ApiResponse) => Named[]) | 'no record'
}

type Request = (url: string) => InjectOptions

const get: Request = (url) => ({ method: 'GET', url })
const remove: Request = (url) => ({ method: 'DELETE', url })
const post = (url: string, body: unknown): InjectOptions => ({
  method: 'POST',
  url,
  ...payloadOf(body)
})
const patch = (url: string, body: unknown): InjectOptions => ({
  method: 'PATCH',
  url,
  ...payloadOf(body)
})

/** A URL with a query. */
const withQuery = (url: string, query: Record<string, string>) => `${url}?${new URLSearchParams(query)}`

const nobody = (): Named[] => []
const onlyPatient = (name: string) => (): Named[] => [[patient(name), null]]
const onlyOrder = (order: string): Named[] => [[null, idOf(order)]]
const both = (order: string, name = 'p1'): Named[] => [[patient(name), idOf(order)]]
/** The order and its patient. */
const whole = (order: string) => both(order)

/**
 * An order or a part of it, requested by callers without access, for whom the record names the order
 * for its buyer, and ids that nothing has.
 */
const hidden = (
  path: string,
  part: (g: PopulatedWorld) => string,
  request: Request,
  unknown: Named[]
): Case[] => {
  const to = (g: PopulatedWorld) => request(`${path}/${idOf(part(g))}`)
  return [
    { by: 'otherNurse', request: to, wanted: '404 not-found', names: onlyOrder },
    { by: 'clerk', request: to, wanted: '403 forbidden', names: onlyOrder },
    { by: 'nurse', request: () => request(`${path}/no-id`), wanted: '404 not-found', names: nobody },
    unknownOf(path, request, unknown)
  ]
}

/** An unused id. */
const unknownOf = (path: string, request: Request, names: Named[] = []): Case => ({
  by: 'nurse',
  request: () => request(`${path}/${unknownId}`),
  wanted: '404 not-found',
  names: () => names
})

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
const toPatient = (name: string) => [{ op: 'replace', path: '/receiver/patient', value: patient(name) }]
const newDraft = (g: PopulatedWorld) => g.createDraft()
const unknownOrder = onlyOrder(unknownId)

const newLine = (g: PopulatedWorld, order: string, more: object = {}) =>
  post(line, { order, item: g.monitor, action: 'DELIVER', ...more })

const patchLines = (g: PopulatedWorld, operations: unknown) =>
  patch(`${orders}/order-lines`, [{ line: g.line, patch: operations }])

const readsOrder = (rest = ''): Case[] => [
  { by: 'nurse', request: (g) => get(of(order, g.order) + rest), wanted: '200', names: whole },
  { by: 'provider', request: (g) => get(of(order, g.order) + rest), wanted: '200', names: whole },
  ...hidden(
    order,
    (g) => g.order,
    (url) => get(url + rest),
    unknownOrder
  )
]

const listed = (_: string, { body }: ApiResponse): Named[] =>
  body.map((each: { id: string; receiver: { patient: string } }) => [each.receiver.patient, each.id])

const listsOrders = (url: string): Case[] => [
  { by: 'nurse', request: () => get(url), wanted: '200 some', names: listed },
  { by: 'provider', request: () => get(ofPatient(url, 'p1')), wanted: '200 some', names: listed },
  ...namesPatient(url)
]

const ofPatient = (url: string, name: string, more: object = {}) =>
  withQuery(url, { patient: patient(name), ...more })

/** A list by a patient without entries, or that is refused. */
const namesPatient = (url: string, wanted = '200 none'): Case[] => {
  const names = onlyPatient('none')
  const refusal = '400 invalid-query /limit'
  return [
    { by: 'nurse', request: () => get(ofPatient(url, 'none')), wanted, names },
    { by: 'clerk', request: () => get(ofPatient(url, 'none')), wanted: '403 forbidden', names },
    { by: 'nurse', request: () => get(ofPatient(url, 'none', { limit: '0' })), wanted: refusal, names }
  ]
}

/** A list by an order. */
const listsOf = (url: string): Case[] => {
  const request = (g: PopulatedWorld) => get(withQuery(url, { order: g.order }))
  return [
    { by: 'nurse', request, wanted: '200 some', names: whole },
    { by: 'provider', request, wanted: '200 some', names: whole },
    { by: 'otherNurse', request, wanted: '200 none', names: onlyOrder },
    { by: 'clerk', request, wanted: '403 forbidden', names: onlyOrder },
    {
      by: 'nurse',
      request: (g) => get(withQuery(url, { order: g.order, limit: '0' })),
      wanted: '400 invalid-query /limit',
      names: onlyOrder
    }
  ]
}

const listsBlackList = (url: string): Case[] => [
  {
    by: 'nurse',
    request: () => get(ofPatient(url, 'listed')),
    wanted: '200 some',
    names: onlyPatient('listed')
  },
  { by: 'nurse', request: () => get(url), wanted: '400 invalid-query /patient', names: nobody },
  ...namesPatient(url)
]

/** Searches without a patient are not recorded. */
const searchesItems = (url: string): Case[] => [
  { by: 'nurse', request: () => get(url), wanted: '200 some', names: 'no record' },
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
    {
      by: 'nurse',
      request: (g) => post(order, g.draft()),
      wanted: '201',
      names: (_, { headers }) => both(headers.location ?? '')
    },
    {
      by: 'nurse',
      request: (g) => post(order, g.draft({ status: 'SUBMITTED' })),
      wanted: '422 not-initial-status /status',
      names: onlyPatient('p1')
    },
    {
      by: 'otherNurse',
      request: (g) => post(order, g.draft()),
      wanted: '422 dangling-reference /buyer',
      names: onlyPatient('p1')
    },
    {
      by: 'nurse',
      request: (g) => {
        const receiver = { name: 'R', clinicalRef: patient('earlier') }
        return post(order, g.draft({ seller: g.catalogue, receiver }))
      },
      wanted: '422 dangling-reference /seller',
      names: onlyPatient('earlier')
    },
    { by: 'provider', request: (g) => post(order, g.draft()), wanted: '403 forbidden', names: nobody },
    { by: 'nurse', request: () => post(order, p1), wanted: '400 invalid-body /buyer', names: nobody }
  ],
  checkOrderability: [
    { by: 'nurse', request: ask, wanted: '200 some', names: onlyPatient('asked') },
    { by: 'otherNurse', request: ask, wanted: '422 dangling-reference /buyer', names: onlyPatient('asked') },
    { by: 'provider', request: ask, wanted: '403 forbidden', names: nobody },
    {
      by: 'nurse',
      request: () => post(`${orders}/orderability`, p1),
      wanted: '400 invalid-body /buyer',
      names: nobody
    }
  ],
  getOrder: readsOrder(),
  getOrderDetails: readsOrder('/details'),
  patchOrder: [
    { by: 'provider', request: (_, url) => patch(of(order, url), []), wanted: '204', names: whole },
    {
      by: 'nurse',
      request: (_, url) => patch(of(order, url), moveTo('DRAFT')),
      wanted: '409 illegal-transition',
      names: whole
    },
    {
      by: 'nurse',
      request: (_, url) => patch(of(order, url), moveTo('ACCEPTED')),
      wanted: '403 not-your-move',
      names: whole
    },
    {
      by: 'nurse',
      request: (_, url) => patch(of(order, url), [{ op: 'add', path: '/name', value: 'N' }]),
      wanted: '422 order-not-draft /0/value',
      names: whole
    },
    {
      by: 'nurse',
      request: (_, url) => patch(of(order, url), {}),
      wanted: '400 invalid-body',
      names: onlyOrder
    },
    {
      by: 'nurse',
      of: newDraft,
      request: (_, draft) => patch(of(order, draft), toPatient('p2')),
      wanted: '204',
      names: (draft) => [...both(draft), ...both(draft, 'p2')]
    },
    {
      by: 'nurse',
      of: newDraft,
      request: (g, draft) =>
        patch(of(order, draft), [...toPatient('p3'), { op: 'replace', path: '/buyer', value: g.otherBuyer }]),
      wanted: '422 dangling-reference /1/value',
      names: (draft) => [...both(draft), ...onlyPatient('p3')()]
    },
    ...hidden(
      order,
      (g) => g.order,
      (url) => patch(url, []),
      unknownOrder
    )
  ],
  deleteOrder: [
    {
      by: 'nurse',
      of: newDraft,
      request: (_, draft) => remove(of(order, draft)),
      wanted: '204',
      names: whole
    },
    { by: 'nurse', request: (_, url) => remove(of(order, url)), wanted: '409 not-deletable', names: whole },
    ...hidden(order, (g) => g.order, remove, unknownOrder)
  ],
  listOrder: listsOrders(`${orders}/orders`),
  listOrderSingular: listsOrders(order),

  createOrderLine: [
    { by: 'nurse', of: newDraft, request: newLine, wanted: '201', names: whole },
    { by: 'nurse', request: newLine, wanted: '422 order-not-draft /order', names: whole },
    {
      by: 'nurse',
      request: (g, url) => newLine(g, url, { item: url }),
      wanted: '422 dangling-reference /item',
      names: whole
    },
    { by: 'otherNurse', request: newLine, wanted: '422 dangling-reference /order', names: onlyOrder },
    {
      by: 'nurse',
      request: (g) => newLine(g, g.contract),
      wanted: '422 dangling-reference /order',
      names: nobody
    },
    { by: 'provider', request: newLine, wanted: '403 forbidden', names: nobody }
  ],
  getOrderLine: [
    { by: 'provider', request: (g) => get(of(line, g.line)), wanted: '200', names: whole },
    ...hidden(line, (g) => g.line, get, [])
  ],
  patchOrderLine: [
    { by: 'nurse', request: (g) => patch(of(line, g.line), []), wanted: '204', names: whole },
    {
      by: 'nurse',
      request: (g) => patch(of(line, g.line), moveTo('SUBMITTED')),
      wanted: '409 illegal-transition',
      names: whole
    },
    {
      by: 'nurse',
      request: (g) => patch(of(line, g.line), {}),
      wanted: '400 invalid-body',
      names: onlyOrder
    },
    ...hidden(
      line,
      (g) => g.line,
      (url) => patch(url, []),
      []
    )
  ],
  patchOrderLines: [
    { by: 'nurse', request: (g) => patchLines(g, []), wanted: '204', names: whole },
    {
      by: 'nurse',
      request: (g) => patchLines(g, moveTo('SUBMITTED')),
      wanted: '409 illegal-transition /0/patch',
      names: whole
    },
    { by: 'nurse', request: (g) => patchLines(g, {}), wanted: '400 invalid-body /0/patch', names: onlyOrder },
    {
      by: 'otherNurse',
      request: (g) => patchLines(g, []),
      wanted: '422 dangling-reference /0/line',
      names: onlyOrder
    },
    { by: 'clerk', request: (g) => patchLines(g, []), wanted: '403 forbidden', names: nobody }
  ],
  deleteOrderLine: [
    {
      by: 'nurse',
      of: newDraft,
      request: async (g, draft) => remove(of(line, await g.addLine(draft))),
      wanted: '204',
      names: whole
    },
    {
      by: 'nurse',
      request: (g) => remove(of(line, g.line)),
      wanted: '409 not-deletable',
      names: whole
    },
    ...hidden(line, (g) => g.line, remove, [])
  ],
  listOrderLine: [...listsOf(`${orders}/order-lines`), ...namesPatient(`${orders}/order-lines`)],
  listOrderLineSingular: [...listsOf(line), ...namesPatient(line)],

  getTraceLine: [
    { by: 'nurse', request: (g) => get(g.trace), wanted: '200', names: whole },
    ...hidden(trace, (g) => g.trace, get, [])
  ],
  listOrderStatistics: [
    {
      by: 'nurse',
      request: () => get(`${orders}/order-statistics?from=2020-01-01&to=2020-12-31&groupBy=month`),
      wanted: '200 none',
      names: nobody
    }
  ],

  listTraceLine: [
    ...listsOf(`${orders}/trace-lines`),
    { by: 'nurse', request: byLine, wanted: '200 some', names: whole },
    { by: 'otherNurse', request: byLine, wanted: '200 none', names: onlyOrder },
    { by: 'clerk', request: byLine, wanted: '403 forbidden', names: onlyOrder },
    {
      by: 'nurse',
      request: () => get(`${orders}/trace-lines`),
      wanted: '400 invalid-query /order',
      names: nobody
    }
  ],

  getAuditEvent: [
    {
      by: 'nurse',
      of: async (g) => {
        const { body } = await g.nurse.get(withQuery(`${orders}/audit-events`, { order: g.order }), 200)
        return `${event}/${body[0].id}`
      },
      request: (_, url) => get(url),
      wanted: '200',
      names: nobody
    },
    unknownOf(event, get),
    { by: 'clerk', request: () => get(`${event}/${unknownId}`), wanted: '403 forbidden', names: nobody }
  ],
  listAuditEvent: [
    { by: 'nurse', request: events, wanted: '200 some', names: orderAndPatient },
    { by: 'otherNurse', request: events, wanted: '200 none', names: orderAndPatient },
    { by: 'clerk', request: events, wanted: '403 forbidden', names: orderAndPatient }
  ],

  createBlackList: [
    { by: 'nurse', request: (g) => listItem(g, 'new'), wanted: '201', names: onlyPatient('new') },
    {
      by: 'nurse',
      request: (g) => listItem(g, 'listed'),
      wanted: '409 duplicate-entry',
      names: onlyPatient('listed')
    },
    {
      by: 'nurse',
      request: (g) => listItem(g, 'new', g.order),
      wanted: '422 dangling-reference /item',
      names: onlyPatient('new')
    },
    { by: 'clerk', request: (g) => listItem(g, 'new'), wanted: '403 forbidden', names: nobody }
  ],
  getBlackList: [
    {
      by: 'nurse',
      request: (g) => get(of(black, g.blackEntry)),
      wanted: '200',
      names: onlyPatient('listed')
    },
    { by: 'clerk', request: (g) => get(of(black, g.blackEntry)), wanted: '403 forbidden', names: nobody },
    unknownOf(black, get)
  ],
  deleteBlackList: [
    { by: 'clerk', request: (g) => remove(of(black, g.blackEntry)), wanted: '403 forbidden', names: nobody },
    {
      by: 'nurse',
      of: (g) => g.nurse.create(black, { patient: patient('gone'), item: g.monitor }),
      request: (_, entry) => remove(of(black, entry)),
      wanted: '204',
      names: onlyPatient('gone')
    },
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
