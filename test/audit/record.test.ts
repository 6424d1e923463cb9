import t from 'tap'
import { loadConfig } from '../../fastify.config.js'
import { buildApp } from '../../src/app.js'
import { testApp } from '../fixtures/app.js'
import { referenceOf, requestIdOf, rowsOf } from '../fixtures/audit/rows.js'
import { callers } from '../fixtures/callers.js'
import { leakCheck } from '../fixtures/leaks.js'
import { populatedWorld } from '../fixtures/routes/populated-world.js'
import { payloadOf } from '../fixtures/routes/refusal.js'
import { orders, organization, pathOf, patient, world } from '../fixtures/world.js'

const app = await testApp(t)
const w = await world(app)

t.test('a record has caller, organization, operation, subjects, time and outcome', async (t) => {
  const app = await testApp(t, { AUDIT_PATIENTS: 'reference' })
  const g = await populatedWorld(app)
  const order = pathOf(g.order)
  const read = { method: 'GET', url: order } as const
  const [buying, selling] = [organization('region'), organization('provider')]
  const nurse = (name: string) => app.as('MonitoringResponsible', buying, { name })
  const reading = { operation: 'getOrder', interaction: 'read', problem: null }
  const byNurse = { problem: null, user_type: 'MonitoringResponsible', organization: buying }
  const requests = [
    { by: nurse('n1'), request: read, record: { ...byNurse, ...reading, user_id: 'n1' } },
    {
      by: nurse('n2'),
      request: { method: 'GET', url: `${orders}/orders` },
      record: { ...byNurse, operation: 'listOrder', interaction: 'search-type', user_id: 'n2' }
    },
    {
      by: nurse('n3'),
      request: { method: 'POST', url: `${orders}/order`, ...payloadOf(g.draft()) },
      record: { ...byNurse, operation: 'createOrder', interaction: 'create', user_id: 'n3' }
    },
    {
      by: nurse('n4'),
      request: { method: 'DELETE', url: order },
      record: {
        ...byNurse,
        operation: 'deleteOrder',
        interaction: 'delete',
        problem: 'not-deletable',
        user_id: 'n4'
      }
    },
    {
      by: g.provider,
      request: { method: 'PATCH', url: order, ...payloadOf([]) },
      record: {
        operation: 'patchOrder',
        interaction: 'patch',
        problem: null,
        user_type: 'Provider',
        user_id: 'Per Provider',
        organization: selling
      }
    },
    {
      by: g.clerk,
      request: read,
      record: {
        ...reading,
        problem: 'forbidden',
        user_type: 'AdministrativeClerk',
        user_id: 'AdministrativeClerk',
        organization: buying
      }
    },
    {
      by: app.as('Provider'),
      request: read,
      record: {
        ...reading,
        problem: 'forbidden',
        user_type: 'Provider',
        user_id: 'Provider',
        organization: null
      }
    }
  ] as const
  for (const [at, { by, request, record }] of requests.entries()) {
    const id = requestIdOf(`request-${at}`)
    const before = Date.now()
    await by.send({
      ...request,
      headers: { ...('headers' in request && request.headers), 'x-request-id': id }
    })
    const after = Date.now()
    const [row, ...others] = await rowsOf(app.sql, id)
    t.same(others, [])
    t.match(row, { ...record, same_as: null }, id)
    const recorded = row?.recorded.getTime() ?? 0
    t.ok(before <= recorded && recorded <= after, `${id} is recorded while it is handled`)
  }
})

t.test('patients are recorded in the configured form and found in either', async (t) => {
  const { nurse } = w
  const { log, answered, check } = leakCheck()
  const plain = await buildApp(
    loadConfig({
      LOG_LEVEL: 'trace',
      DATABASE_POOL: '2',
      EVENT_LOOP_DELAY_LIMIT: '0',
      AUDIT_PATIENTS: 'reference'
    }),
    app.databaseUrl,
    { log }
  )
  t.teardown(async () => {
    await plain.close()
    check()
  })
  const nurseThere = callers(plain, answered)('MonitoringResponsible', organization('region'))
  const recorded = async (caller: typeof nurse, id: string, reference: string) => {
    const url = `${orders}/orders?${new URLSearchParams({ patient: reference })}`
    await caller.send({ method: 'GET', url, headers: { 'x-request-id': requestIdOf(id) } })
    return (await rowsOf(app.sql, requestIdOf(id)))[0]?.patients
  }
  const hash = /^\\x[0-9a-f]{32}$/
  const [hashed] = (await recorded(nurse, 'hashed', patient('p'))) ?? []
  t.match(hashed, hash)
  t.same(await recorded(nurse, 'again', patient('p')), [hashed], 'the same patient, the same hash')
  t.not((await recorded(nurse, 'other', patient('q')))?.[0], hashed)
  t.same(await recorded(nurseThere, 'shown', patient('p')), [referenceOf(patient('p'))])

  for (const caller of [nurse, nurseThere]) {
    const url = `${orders}/audit-events?${new URLSearchParams({ patient: patient('p') })}`
    const { body } = await caller.get(url, 200)
    const ids = body.map(
      (each: { entity: { what: { identifier?: { value: string } } }[] }) =>
        each.entity.at(-1)?.what.identifier?.value
    )
    for (const id of ['hashed', 'again', 'shown']) t.ok(ids.includes(requestIdOf(id)), id)
    t.notOk(ids.includes(requestIdOf('other')))
  }
})
