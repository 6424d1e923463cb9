import t from 'tap'
import { loadConfig } from '../../fastify.config.js'
import { buildApp } from '../../src/app.js'
import { testApp } from '../fixtures/app.js'
import { referenceOf, requestIdOf, rowsOf } from '../fixtures/audit/rows.js'
import { callers } from '../fixtures/callers.js'
import { leakCheck } from '../fixtures/leaks.js'
import { idOf, unknownId } from '../fixtures/routes/addresses.js'
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

t.test('records the first 255 characters of a user id', async (t) => {
  for (const length of [254, 255, 256, 300]) {
    const name = 'abcde'.repeat(60).slice(0, length)
    const id = requestIdOf(`length-${length}`)
    const caller = app.as('MonitoringResponsible', organization('region'), { name })
    const headers = { 'x-request-id': id }
    await caller.send({ method: 'GET', url: `${orders}/order/${unknownId}`, headers })
    t.equal((await rowsOf(app.sql, id))[0]?.user_id, name.slice(0, 255))
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
  const longest = (length: number) => {
    const start = 'https://fhir.example/'
    return `${start}${'a'.repeat(length - start.length - '/Patient/p'.length)}/Patient/p`
  }
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
  t.same(await recorded(nurseThere, 'longest', longest(2048)), [referenceOf(longest(2048))])
  t.match(await recorded(nurseThere, 'too-long', longest(2049)), [hash], 'no index holds it')
  t.match(await recorded(nurseThere, 'no-reference', 'Rasmus'), [hash], 'any text is accepted')

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

t.test('a page is recorded as a repeat only if its patients and orders are the same', async (t) => {
  const receiver = (name: string) => ({ receiver: { name: 'R', patient: patient(name) } })
  const made: string[] = []
  for (let at = 0; at < 10; at++) made.push(await w.createDraft(receiver('all')))
  const look = async (id: string) => {
    await w.nurse.send({
      method: 'GET',
      url: `${orders}/orders`,
      headers: { 'x-request-id': requestIdOf(id) }
    })
    const [row] = await rowsOf(app.sql, requestIdOf(id))
    return row
  }
  const first = await look('first')
  t.same([first?.same_as, first?.orders.length], [null, 10])
  t.same([(await look('repeated'))?.same_as, (await look('repeated'))?.orders.length], [first?.id, 0])

  const toAnother = [{ op: 'replace', path: '/receiver/patient', value: patient('another') }]
  await w.nurse.patch(pathOf(made[3] ?? ''), toAnother, 204)
  t.match(await look('another-patient'), { same_as: null })

  await w.nurse.patch(pathOf(made[3] ?? ''), [{ ...toAnother[0], value: patient('all') }], 204)
  await w.nurse.delete(pathOf(made[9] ?? ''), 204)
  const replaced = await w.createDraft(receiver('all'))
  const row = await look('another-order')
  t.equal(row?.same_as, null)
  t.ok(row?.orders.includes(idOf(replaced)))
})
