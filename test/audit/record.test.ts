import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import type { InjectOptions } from 'fastify'
import t from 'tap'
import { testApp } from '../fixtures/app.js'
import { type AuditRow, requestIdOf, rowsOf } from '../fixtures/audit/rows.js'
import { type Caller, postWithKey, tokenOf } from '../fixtures/callers.js'
import { populatedWorld } from '../fixtures/routes/populated-world.js'
import { payloadOf } from '../fixtures/routes/refusal.js'
import { countWaiting, until } from '../fixtures/waiting.js'
import { headOf, listenOnLoopback, wire } from '../fixtures/wire.js'
import { orders, organization, pathOf, patient, withQuery, world } from '../fixtures/world.js'

const app = await testApp(t)
const w = await world(app)

t.test('a record has caller, organization, operation, subjects, time and outcome', async (t) => {
  const app = await testApp(t)
  const g = await populatedWorld(app)
  const order = pathOf(g.order)
  const read = { method: 'GET', url: order } as const
  const [buying, selling] = [organization('region'), organization('provider')]
  const nurse = (name: string) => app.as('MonitoringResponsible', buying, { name })
  const reading = { operation: 'getOrder', interaction: 'read', problem: null }
  const byNurse = { problem: null, user_type: 'MonitoringResponsible', organization: buying }
  const creation = { operation: 'createOrder', interaction: 'create', user_id: 'n3' }
  const deletion = { operation: 'deleteOrder', interaction: 'delete', problem: 'not-deletable' }
  const patching = { operation: 'patchOrder', interaction: 'patch', problem: null, organization: selling }
  const refused = { ...reading, problem: 'forbidden' }
  const clerk = 'AdministrativeClerk'
  const requests: [by: Caller, request: InjectOptions, record: Partial<AuditRow>][] = [
    [nurse('n1'), read, { ...byNurse, ...reading, user_id: 'n1' }],
    [
      nurse('n2'),
      { method: 'GET', url: `${orders}/orders` },
      { ...byNurse, operation: 'listOrder', interaction: 'search-type', user_id: 'n2' }
    ],
    [
      nurse('n3'),
      { method: 'POST', url: `${orders}/order`, ...payloadOf(g.draft()) },
      { ...byNurse, ...creation }
    ],
    [nurse('n4'), { method: 'DELETE', url: order }, { ...byNurse, ...deletion, user_id: 'n4' }],
    [
      g.provider,
      { method: 'PATCH', url: order, ...payloadOf([]) },
      { ...patching, user_type: 'Provider', user_id: 'Per Provider' }
    ],
    [g.clerk, read, { ...refused, user_type: clerk, user_id: clerk, organization: buying }],
    [app.as('Provider'), read, { ...refused, user_type: 'Provider', user_id: 'Provider', organization: null }]
  ]
  for (const [at, [by, request, record]] of requests.entries()) {
    const id = requestIdOf(`request-${at}`)
    const before = Date.now()
    await by.send({ ...request, headers: { ...request.headers, 'x-request-id': id } })
    const after = Date.now()
    const [row, ...others] = await rowsOf(app.sql, id)
    t.same(others, [])
    t.match(row, { ...record, same_as: null }, id)
    const recorded = row?.recorded.getTime() ?? 0
    t.ok(before <= recorded && recorded <= after, `${id} is recorded while it is handled`)
  }
})

t.test('patients are recorded as hashes and found by their references', async (t) => {
  const { nurse } = w
  const recorded = async (id: string, reference: string) => {
    const url = withQuery(`${orders}/orders`, { patient: reference })
    await nurse.get(url, 200, { 'x-request-id': requestIdOf(id) })
    return (await rowsOf(app.sql, requestIdOf(id)))[0]?.patients
  }
  const [hashed] = (await recorded('hashed', patient('p'))) ?? []
  t.match(hashed, /^\\x[0-9a-f]{32}$/)
  t.same(await recorded('again', patient('p')), [hashed], 'the same patient, the same hash')
  t.not((await recorded('other', patient('q')))?.[0], hashed)

  const { body } = await nurse.get(withQuery(`${orders}/audit-events`, { patient: patient('p') }), 200)
  const ids = body.map(
    (each: { entity: { what: { identifier?: { value: string } } }[] }) =>
      each.entity.at(-1)?.what.identifier?.value
  )
  for (const id of ['hashed', 'again']) t.ok(ids.includes(requestIdOf(id)), id)
  t.notOk(ids.includes(requestIdOf('other')))
})

t.test('a request whose client disconnects has a record', async (t) => {
  const port = await listenOnLoopback(app.app)
  const order = await w.createDraft()
  const draft = w.draft()
  await postWithKey(w.nurse, 'disconnected', `${orders}/order`, draft)
  const authorization = `authorization: ${tokenOf('MonitoringResponsible', 'region', { name: 'Nora Nurse' })}`
  for (const [operation, method, path, body] of [
    ['patchOrder', 'PATCH', pathOf(order), '[]'],
    ['createOrder', 'POST', `${orders}/order`, JSON.stringify(draft)]
  ] as const) {
    const requestId = randomUUID()
    await app.sql.begin(async (tx) => {
      await tx`lock table orders, idempotency_keys in access exclusive mode`
      const connected = once(app.app.server, 'connection') as Promise<[Socket]>
      const { socket, send } = wire(t, port)
      const content = ['content-type: application/json', `content-length: ${Buffer.byteLength(body)}`]
      const headers = [
        authorization,
        `x-request-id: ${requestId}`,
        'idempotency-key: disconnected',
        ...content
      ]
      send(headOf(method, path, ...headers) + body)
      const [serverSide] = await connected
      await until(async () => (await countWaiting(app.sql)) > 0)
      socket.destroy()
      await until(() => serverSide.destroyed)
    })
    await until(async () => (await rowsOf(app.sql, requestId)).length > 0)
    t.match(await rowsOf(app.sql, requestId), [{ operation, problem: null }])
  }
})
