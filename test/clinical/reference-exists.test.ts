import t from 'tap'
import { loadConfig } from '../../fastify.config.js'
import { buildApp } from '../../src/app.js'
import { testApp } from '../fixtures/app.js'
import { callers } from '../fixtures/callers.js'
import { clinicalWorld, recordingServer } from '../fixtures/clinical.js'
import type { Behaviour, Received } from '../fixtures/fhir/server.js'
import { assertRejections, outcome } from '../fixtures/routes/refusal.js'
import { writingNothing } from '../fixtures/routes/writes.js'
import {
  catalogue,
  orders,
  organization,
  pathOf,
  patient,
  replace,
  transitionTo,
  world
} from '../fixtures/world.js'

const set = (path: string, value: unknown) => [replace(path, value)]
const lines = (received: Received[]) => received.map(({ method, url }) => `${method} ${url}`)

const w = await clinicalWorld(t)
const { nurse, clerk, provider, fhir } = w

t.test('referenced clinical resources must exist', async (t) => {
  const order = await w.createDraft()
  await fhir.forget()
  let made = 0
  /** Every write with a clinical reference, each to a resource that is not cached. */
  const attempts = async () => {
    const id = `n${++made}`
    await fhir.keep({ resourceType: 'Patient', id }, { resourceType: 'Organization', id })
    return [
      await nurse.post(`${orders}/order`, w.draft({ receiver: { name: 'R', patient: w.patient(id) } })),
      await nurse.patch(pathOf(order), set('/receiver/clinicalRef', w.patient(id))),
      await nurse.post(`${catalogue}/black-list`, { patient: w.patient(id), item: w.monitor }),
      await clerk.post(`${orders}/party`, {
        allowedRoles: ['SELLER'],
        name: id,
        organization: w.organization(id)
      })
    ]
  }
  const pointers = ['/receiver/patient', '/0/value', '/patient', '/organization']

  t.test('stores a reference that exists', async (t) => {
    t.same((await attempts()).map(outcome), ['201', '204', '201', '201'])
    t.same(lines(await fhir.received()), [`GET /fhir/Patient/n${made}`, `GET /fhir/Organization/n${made}`])
  })

  t.test('sends only the address and the token', async (t) => {
    for (const { headers, body } of await fhir.received()) {
      t.same(Object.keys(headers).sort(), ['accept', 'authorization', 'connection', 'host'])
      t.match(headers.authorization, /^Bearer [\w-]+\.[\w-]+\.[\w-]*$/)
      t.equal(body, '')
    }
    const [asNurse, asClerk] = (await fhir.received()).map(
      ({ headers }) => claimsIn(String(headers.authorization)).user_type
    )
    t.same(
      [asNurse, asClerk],
      ['MonitoringResponsible', 'AdministrativeClerk'],
      'each with the token of the caller'
    )
  })

  const nothing: [what: string, behaviour: Behaviour][] = [
    ['404', { status: 404 }],
    ['401 with the page of a proxy', { status: 401, body: '<!doctype html><title>Log in</title>' }],
    ['an OperationOutcome', { status: 200, body: { resourceType: 'OperationOutcome' } }],
    ['another id', { status: 200, body: { resourceType: 'Patient', id: 'somebody-else' } }]
  ]
  t.test('rejects every missing reference alike', async (t) => {
    const texts = new Set<string>()
    await writingNothing(t, w.sql, async () => {
      for (const [what, behaviour] of nothing) {
        await fhir.behave(behaviour)
        const responses = await attempts()
        t.same(
          responses.map(outcome),
          pointers.map((at) => `422 dangling-reference ${at}`),
          what
        )
        for (const { body } of responses)
          for (const text of [body.detail, body.errors[0].detail])
            texts.add(`${body.title} ${text.replace(/^\/\S+: /, '')}`)
      }
    })
    t.equal(texts.size, 2, 'one text for patients, one for organizations')
    await fhir.behave('well')
    t.same((await attempts()).map(outcome), ['201', '204', '201', '201'])
  })
})

t.test('checks only changed references', async (t) => {
  await fhir.forget()
  const order = await w.createDraft({ receiver: { name: 'R', patient: w.patient('p4') } })
  const asked = async () => {
    const urls = (await fhir.received()).map(({ url }) => url)
    await fhir.forget()
    return urls
  }
  t.same(await asked(), ['/fhir/Patient/p4'])

  t.test('only a patch of the patient sends a request', async (t) => {
    await nurse.patch(pathOf(order), set('/name', 'Another'), 204)
    await nurse.patch(pathOf(order), set('/receiver/name', 'Another'), 204)
    await nurse.patch(pathOf(order), set('/receiver/patient', w.patient('p4')), 204)
    await nurse.patch(pathOf(order), set('/priority', true), 204)
    await w.addLine(order)
    t.same(await asked(), [])
    await nurse.patch(pathOf(order), set('/receiver/patient', w.patient('p2')), 204)
    t.same(await asked(), ['/fhir/Patient/p2'])
    await nurse.patch(pathOf(order), transitionTo('SUBMITTED'), 204)
    t.same(await asked(), [], 'submission without required consent sends none')
  })

  t.test('checks local rules first', async (t) => {
    const draft = await w.createDraft()
    const p9 = set('/receiver/patient', w.patient('p9'))
    const reader = w.as('MonitoringResponsible', w.organization('region'), { permissions: ['Order.read'] })
    const receiver = { name: 'R', patient: w.patient('p9') }
    const party = { allowedRoles: ['SELLER'], name: 'P', organization: w.organization('p9') }
    await writingNothing(t, w.sql, async () => {
      const responses = [
        await reader.post(`${orders}/order`, w.draft({ receiver })),
        await reader.patch(pathOf(draft), p9),
        await w.otherNurse.patch(pathOf(draft), p9),
        await w.otherNurse.post(`${orders}/order`, w.draft({ receiver })),
        await provider.patch(pathOf(order), p9),
        await nurse.patch(pathOf(order), p9),
        await nurse.patch(pathOf(draft), [...p9, ...transitionTo('SUBMITTED')]),
        await nurse.patch(pathOf(draft), [...p9, ...transitionTo('ACCEPTED')]),
        await nurse.patch(pathOf(draft), [...p9, { op: 'test', path: '/name', value: 'x' }]),
        await nurse.post(`${orders}/order`, w.draft({ receiver, seller: w.account })),
        await nurse.post(`${orders}/order`, w.draft({ receiver, status: 'SUBMITTED' })),
        await nurse.post(`${catalogue}/black-list`, { patient: w.patient('p9'), item: w.buyer }),
        await clerk.post(`${catalogue}/black-list`, { patient: w.patient('p9'), item: w.monitor }),
        await nurse.post(`${orders}/party`, party),
        await clerk.post(`${orders}/party`, { ...party, allowedRoles: ['KING'] })
      ]
      t.same(responses.map(outcome), [
        '403 forbidden',
        '403 forbidden',
        '404 not-found',
        '422 dangling-reference /buyer',
        '403 not-your-move /0/value',
        '422 order-not-draft /0/value',
        '422 no-open-lines',
        '409 illegal-transition',
        '409 failed-test',
        '422 wrong-role /seller',
        '422 not-initial-status /status',
        '422 dangling-reference /item',
        '403 forbidden',
        '403 forbidden',
        '422 unknown-coding /allowedRoles/0'
      ])
    })
    t.same(await asked(), [])
  })

  t.test('a caller without access to a patient does not learn of its black list', async (t) => {
    const entry = { patient: w.patient('p3'), item: w.monitor }
    await nurse.create(`${catalogue}/black-list`, entry)
    // Same organization as the entry, but the token of this nurse has no access to the patient.
    const colleague = w.as('MonitoringResponsible', w.organization('region'), { name: 'Nils Nurse' })
    await fhir.behave({ status: 403 })
    t.equal(
      outcome(await colleague.post(`${catalogue}/black-list`, entry)),
      '422 dangling-reference /patient'
    )
    await fhir.behave('well')
    t.equal(outcome(await colleague.post(`${catalogue}/black-list`, entry)), '409 duplicate-entry')
  })
})

t.test('references to an earlier backend address stay valid', async (t) => {
  const before = await testApp(t)
  const w = await world(before)
  const { order } = await w.submitted()
  const draft = await w.createDraft()
  const entry = await w.nurse.create(`${catalogue}/black-list`, { patient: patient('p1'), item: w.repair })
  const there = await recordingServer(t)
  const env = { LOG_LEVEL: 'silent', CLINICAL_FHIR_URL: `${there.origin}/fhir` }
  const after = await buildApp(loadConfig(env), before.databaseUrl)
  t.teardown(() => after.close())
  const as = callers(after)
  const nurse = as('MonitoringResponsible', organization('region'))
  const clerk = as('AdministrativeClerk', organization('region'))
  const of = encodeURIComponent(patient('p1'))

  t.match((await nurse.get(pathOf(order), 200)).body, { receiver: { patient: patient('p1') } })
  t.match((await nurse.get(pathOf(entry), 200)).body, { patient: patient('p1') })
  t.equal((await nurse.get(`${orders}/orders?patient=${of}`, 200)).body.length, 2)
  t.equal((await nurse.get(`${catalogue}/black-lists?patient=${of}`, 200)).body.length, 1)
  await nurse.get(`${catalogue}/catalogue-items?patient=${of}`, 200)

  const party = (await clerk.get(pathOf(w.buyer), 200)).body
  t.equal(party.organization, organization('region'))
  await clerk.put(pathOf(w.buyer), { ...party, name: 'Renamed' }, 204)
  await nurse.patch(pathOf(draft), set('/receiver/name', 'Renamed'), 204)
  await nurse.create(`${orders}/order-line`, { order: draft, item: w.monitor, action: 'DELIVER' })
  await nurse.patch(pathOf(draft), transitionTo('SUBMITTED'), 204)

  const again = { ...(await nurse.get(pathOf(draft), 200)).body, id: null, status: 'DRAFT', notes: [] }
  const refusal = '422 dangling-reference /receiver/patient'
  t.equal(outcome(await nurse.post(`${orders}/order`, again)), refusal, 'a new reference is refused')
  const third = await w.createDraft()
  t.equal(
    outcome(await nurse.patch(pathOf(third), set('/receiver/patient', patient('p2')))),
    '422 dangling-reference /0/value'
  )
  await assertRejections(t, clerk, [
    [
      'another organization',
      {
        method: 'PUT',
        url: pathOf(w.buyer),
        payload: { ...party, organization: organization('other-region') }
      },
      '422 fixed-organization /organization'
    ]
  ])
  t.same(there.asked, [])
})

const claimsIn = (authorization = '') =>
  JSON.parse(Buffer.from(authorization.split('.')[1] ?? '', 'base64url').toString()) as {
    user_type: string
    context: { organization_id: string }
  }
