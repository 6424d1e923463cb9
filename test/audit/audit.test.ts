import t from 'tap'
import { userTypes } from '../../src/platform/auth/caller.js'
import { testApp } from '../fixtures/app.js'
import { idOf, unknownId } from '../fixtures/routes/addresses.js'
import { populatedWorld } from '../fixtures/routes/populated-world.js'
import type { Row } from '../fixtures/routes/rows.js'
import { table } from '../fixtures/routes/table.js'
import { contentOf } from '../fixtures/routes/writes.js'
import { catalogue, moveTo, orders, organization, pathOf, patient } from '../fixtures/world.js'

interface Recorded {
  operation: string
  interaction: string
  problem: string | null
  userType: string
  organization: string | null
  patients: (string | null)[]
  orders: (string | null)[]
}

/** Events hold no patient data. Their feed is recorded if it names orders, as its own test shows. */
const isAboutPatients = ({ permission, alternatives }: Row) =>
  /^(Order|OrderLine|TraceLine|BlackList|AuditEvent)\./.test(permission) && alternatives === undefined

const app = await testApp(t, { AUDIT_PATIENTS: 'reference' })
const g = await populatedWorld(app)

t.test('each request on patient data leaves one record', async (t) => {
  const { nurse, provider, clerk, otherNurse, otherProvider } = g
  const events = () => app.sql<Recorded[]>`
    select operation, interaction, problem, user_type as "userType", organization, to_json(orders) as orders,
      array_to_json(array(select convert_from(patient, 'UTF8') from unnest(patients) as patient)) as patients
    from audit_events order by recorded, id`

  /** The record of the last request: outcome and subjects. */
  async function leaves(what: string, act: () => Promise<unknown>, wanted: Partial<Recorded>[]) {
    const before = (await events()).length
    await act()
    t.match((await events()).slice(before), wanted, what)
    t.equal((await events()).length - before, wanted.length, `${what}: number of records`)
  }
  const { order, line } = g
  const [id, p1] = [idOf(order), patient('p1')]
  const of = encodeURIComponent(order)
  const one = { patients: [p1], orders: [id] }
  const byNurse = { userType: 'MonitoringResponsible', organization: organization('region') }
  const named = encodeURIComponent(patient('named'))

  await leaves('a read', () => nurse.get(pathOf(order), 200), [
    { ...byNurse, ...one, operation: 'getOrder', interaction: 'read', problem: null }
  ])
  await leaves('details', () => provider.get(`${pathOf(order)}/details`, 200), [
    { userType: 'Provider', organization: organization('provider'), ...one, operation: 'getOrderDetails' }
  ])
  await leaves('a line', () => nurse.get(pathOf(line), 200), [{ ...one, operation: 'getOrderLine' }])
  await leaves('a list', () => nurse.get(`${orders}/orders`, 200), [{ ...one, interaction: 'search-type' }])
  await leaves('lines', () => nurse.get(`${orders}/order-lines?order=${of}`, 200), [one])
  await leaves('a trace', () => nurse.get(`${orders}/trace-lines?order=${of}`, 200), [one])
  await leaves('a trace line', () => nurse.get(g.trace, 200), [one])
  await leaves('an empty search', () => nurse.get(`${orders}/orders?patient=${named}`, 200), [
    { patients: [patient('named')], orders: [null] }
  ])
  await leaves('items', () => nurse.get(`${catalogue}/catalogue-items?patient=${named}`, 200), [
    { patients: [patient('named')], operation: 'listCatalogueItem' }
  ])
  await leaves('items without a patient', () => nurse.get(`${catalogue}/catalogue-items`, 200), [])
  await leaves('parties', () => nurse.get(`${orders}/parties`, 200), [])

  await leaves('a stranger', () => otherProvider.get(pathOf(order), 404), [
    { problem: 'not-found', patients: [null], orders: [id], organization: organization('other-provider') }
  ])
  await leaves('a stranger’s list', () => otherNurse.get(`${orders}/order-lines?order=${of}`, 200), [
    { problem: null, patients: [null], orders: [id] }
  ])
  await leaves('a line requested by a stranger', () => otherNurse.get(pathOf(line), 404), [
    { problem: 'not-found', patients: [null], orders: [id] }
  ])
  await leaves('a transition by a stranger', () => otherNurse.patch(pathOf(line), moveTo('CANCELLED'), 404), [
    { problem: 'not-found', patients: [null], orders: [id] }
  ])
  await leaves('the trace requested by a stranger', () => otherNurse.get(g.trace, 404), [
    { problem: 'not-found', patients: [null], orders: [id] }
  ])
  const ofLine = encodeURIComponent(line)
  await leaves('all of it', () => otherNurse.get(`${orders}/trace-lines?orderLine=${ofLine}`, 200), [
    { problem: null, patients: [null], orders: [id] }
  ])
  await leaves('a clerk', () => clerk.get(pathOf(order), 403), [
    { userType: 'AdministrativeClerk', problem: 'forbidden', patients: [null], orders: [id] }
  ])
  await leaves('a clerk’s search', () => clerk.get(`${catalogue}/catalogue-items?patient=${named}`, 403), [
    { problem: 'forbidden', patients: [patient('named')] }
  ])
  await leaves('a stranger’s write', () => otherNurse.patch(pathOf(order), moveTo('CANCELLED'), 404), [
    { problem: 'not-found', interaction: 'patch', orders: [id] }
  ])
  await leaves('without a token', () => app.as().get(pathOf(order), 401), [])
  await leaves('a broken body', () => nurse.patch(pathOf(order), {}, 400), [{ problem: 'invalid-body' }])

  await leaves('a refused write', () => nurse.post(`${orders}/order`, g.draft({ buyer: g.account }), 422), [
    { problem: 'dangling-reference', patients: [p1], orders: [null] }
  ])
  await leaves('a create', () => nurse.create(`${orders}/order`, g.draft()), [
    { ...byNurse, problem: null, operation: 'createOrder', interaction: 'create', patients: [p1] }
  ])
  await leaves('a move', () => provider.patch(pathOf(order), moveTo('ACCEPTED'), 204), [
    { ...one, problem: null, operation: 'patchOrder', interaction: 'patch' }
  ])
  await leaves('a write that changes nothing', () => nurse.patch(pathOf(order), [], 204), [
    { ...one, problem: null }
  ])
  await leaves('a refused move', () => provider.patch(pathOf(order), moveTo('REJECTED'), 409), [
    { ...one, problem: 'illegal-transition' }
  ])
  const draft = await g.createDraft({ receiver: { name: 'R', patient: patient('before') } })
  const toAnother = [{ op: 'replace', path: '/receiver/patient', value: patient('after') }]
  await leaves('another patient', () => nurse.patch(pathOf(draft), toAnother, 204), [
    { patients: [patient('before'), patient('after')], orders: [idOf(draft), idOf(draft)] }
  ])
  await leaves('a line added', () => g.addLine(draft), [{ patients: [patient('after')] }])
  await leaves('a draft deleted', () => nurse.delete(pathOf(draft), 204), [
    { patients: [patient('after')], orders: [idOf(draft)], interaction: 'delete' }
  ])
  await leaves('the black list', () => nurse.delete(pathOf(g.blackEntry), 204), [
    { patients: [patient('listed')], orders: [null] }
  ])

  t.test('refused callers', async (t) => {
    for (const [route, { who, permission }] of Object.entries(table).filter(([, row]) =>
      isAboutPatients(row)
    ))
      for (const as of userTypes) {
        const [method = '', path = ''] = route.split(' ')
        const permissions = who[as] === undefined ? [permission] : []
        const before = (await events()).length
        const { status, headers } = await app
          .as(as, organization('region'), { permissions })
          .send({ method: method as 'GET', url: path.replace(':id', unknownId) })
        t.equal(status, 403, `${route} by ${as}`)
        t.equal(headers['cache-control'], 'no-store')
        t.match((await events()).slice(before), [{ problem: 'forbidden', userType: as }], `${route} by ${as}`)
      }
  })

  t.test('a list of many patients', async (t) => {
    const { headers } = await nurse.get(`${orders}/orders?limit=1`, 200)
    await nurse.create(`${orders}/order`, g.draft({ receiver: { name: 'R', patient: patient('p2') } }))
    const { body } = await nurse.get(`${orders}/orders`, 200)
    const last = (await events()).at(-1)
    t.same(
      last?.orders,
      body.map((each: { id: string }) => each.id)
    )
    t.same(new Set(last?.patients), new Set([p1, patient('p2')]))
    t.match(headers, { 'cache-control': 'no-store' })
  })

  t.test('a cursor that contains a patient', async (t) => {
    const search = `${catalogue}/catalogue-items?patient=${named}&limit=1`
    const link = (await nurse.get(search, 200)).headers.link ?? ''
    const next = new URL(/<(.*)>/.exec(link)?.[1] ?? '')
    const page = await nurse.get(next.pathname + next.search, 200)
    t.match((await events()).at(-1), { operation: 'listCatalogueItem', patients: [patient('named')] })
    t.equal(page.headers['cache-control'], 'no-store')
  })
})

t.test('a request that cannot be recorded writes and returns nothing', async (t) => {
  const app = await testApp(t)
  const g = await populatedWorld(app)
  const aboutPatients = Object.entries(table).filter(([, row]) => isAboutPatients(row))
  t.ok(aboutPatients.length >= 20)
  const requests = []
  for (const [route, row] of aboutPatients)
    for (const as of userTypes.filter((each) => row.who[each] !== undefined))
      requests.push({ route, as, ...(await row.request(g, as)) })
  await app.sql`alter table audit_events add constraint broken check (false) not valid`
  const before = await contentOf(app.sql)
  for (const { route, as, of = '', query = {}, payload } of requests) {
    const [method = '', path = ''] = route.split(' ')
    const caller = app.as(as, organization(as === 'Provider' ? 'provider' : 'region'))
    const response = await caller.send({
      method: method as 'GET',
      url: `${path.replace(':id', idOf(of))}?${new URLSearchParams(query)}`,
      ...(payload ? { payload: payload as object } : {})
    })
    t.match(String(response.status), /^50[03]$/, `${route} by ${as}`)
    t.notOk(JSON.stringify(response).includes('Rasmus'), `${route} by ${as} reveals nothing`)
  }
  t.same(await contentOf(app.sql), before, 'nothing was written')
  await app.as('MonitoringResponsible', organization('region')).get(`${catalogue}/catalogue-items`, 200)
})

t.test('concurrent reads share commits, and one that cannot be recorded fails on its own', async (t) => {
  const reader = app.as('MonitoringResponsible', organization('region'), { name: 'reader' })
  await Promise.all(Array.from({ length: 200 }, () => reader.get(pathOf(g.order), 200)))
  const [row] = await app.sql`
    select count(*)::int as count, count(distinct xmin::text)::int as commits from audit_events
    where operation = 'getOrder' and user_id = 'reader'`
  t.equal(row?.count, 200)
  t.ok(row?.commits < 100, `${row?.commits} commits`)
  await app.sql`alter table audit_events add constraint picky check (user_id is distinct from 'odd') not valid`
  const odd = app.as('MonitoringResponsible', organization('region'), { name: 'odd' })
  const all = await Promise.all(
    Array.from({ length: 40 }, (_, at) => (at === 7 ? odd : reader).get(pathOf(g.order)))
  )
  t.same(
    all.map(({ status }, at) => [at, status]).filter(([, status]) => status !== 200),
    [[7, 503]]
  )
})
