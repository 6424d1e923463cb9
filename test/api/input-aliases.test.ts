import t from 'tap'
import { testApp } from '../fixtures/app.js'
import { idOf, idsOf } from '../fixtures/routes/addresses.js'
import { vs } from '../fixtures/routes/bodies.js'
import { outcome } from '../fixtures/routes/refusal.js'
import {
  catalogue,
  orders,
  organization,
  party,
  pathOf,
  patient,
  replace,
  scale,
  transitionTo,
  withQuery,
  world
} from '../fixtures/world.js'

t.test('a reference may end with a slash', async (t) => {
  const { as, sql, app } = await testApp(t)
  const w = await world({ as } as Parameters<typeof world>[0])
  const { clerk, nurse, provider, buyer, monitor } = w
  const p = patient('slashed')

  t.test('in bodies, stored without the slash', async (t) => {
    const slashed = { ...party('slashed', 'SELLER'), organization: `${organization('slashed')}/` }
    const created = pathOf(await clerk.create(`${orders}/party`, slashed))
    t.equal((await clerk.get(created, 200)).body.organization, organization('slashed'))
    await clerk.put(created, slashed, 204)

    const order = await nurse.create(
      `${orders}/order`,
      w.draft({ buyer: `${buyer}/`, receiver: { name: 'R', patient: `${p}/`, clinicalRef: p } })
    )
    t.match((await nurse.get(pathOf(order), 200)).body, { buyer, receiver: { patient: p } })
    await w.addLine(order)
    const entry = await nurse.create(`${catalogue}/black-list`, { patient: `${p}/`, item: `${monitor}/` })
    t.match((await nurse.get(pathOf(entry), 200)).body, { patient: p, item: monitor })
    const again = await nurse.post(`${catalogue}/black-list`, { patient: p, item: monitor })
    t.equal(outcome(again), '409 duplicate-entry', 'compared without the slash')
    const submitted = await nurse.patch(pathOf(order), transitionTo('SUBMITTED'))
    t.match(submitted.body.errors[0], { code: 'black-listed' }, 'the black list applies to the order')
    await nurse.delete(pathOf(entry), 204)
  })

  t.test('in queries', async (t) => {
    const order = await w.createDraft({ receiver: { name: 'R', patient: p } })
    const entry = await nurse.create(`${catalogue}/black-list`, { patient: p, item: monitor })
    const found = async (path: string, query: Record<string, string>) =>
      idsOf((await nurse.get(withQuery(path, query), 200)).body)
    t.ok((await found(`${orders}/orders`, { patient: `${p}/` })).includes(idOf(order)))
    t.ok((await found(`${orders}/orders`, { buyer: `${buyer}/` })).includes(idOf(order)))
    t.same(await found(`${catalogue}/black-lists`, { patient: `${p}/` }), [idOf(entry)])
    const items = await found(`${catalogue}/catalogue-items`, { patient: `${p}/` })
    t.notOk(items.includes(idOf(monitor)), 'the search omits items on the black list')
    t.ok(items.length > 0)
    for (const path of ['orders', 'audit-events'])
      t.equal((await nurse.get(withQuery(`${orders}/${path}`, { patient: `${p}//` }))).status, 400)
  })

  t.test('in the audit record', async (t) => {
    const recorded = async (url: string) =>
      (await nurse.get(withQuery(`${orders}/audit-events`, { patient: url }), 200)).body.length
    t.ok((await recorded(`${p}/`)) > 5)
    const hash = app.audit.patientHash(`${p}/`)
    const rows = await sql`select 1 from audit_events where ${hash}::text::bytea = any(patients)`
    t.equal(rows.length, 0, 'no record has the form with the slash')
  })

  t.test('in a JSON Patch, where it changes nothing', async (t) => {
    const { order, lines } = await w.submitted()
    const { body } = await nurse.get(pathOf(order), 200)
    const same = [
      { op: 'test', path: '/receiver/patient', value: `${body.receiver.patient}/` },
      replace('/receiver/clinicalRef', `${body.receiver.patient}/`),
      { op: 'test', path: '/buyer', value: `${buyer}/` },
      replace('/buyer', `${buyer}/`)
    ]
    t.equal(outcome(await nurse.patch(pathOf(order), same)), '204')
    const line = [replace('/item', `${monitor}/`), replace('/order', `${order}/`)]
    t.equal(outcome(await nurse.patch(pathOf(lines[0] ?? ''), line)), '204')
    const other = [replace('/receiver/patient', `${p}/`)]
    t.equal(outcome(await nurse.patch(pathOf(order), other)), '422 order-not-draft /0/value')
    const draft = await w.createDraft()
    await nurse.patch(pathOf(draft), other, 204)
    t.equal((await nurse.get(pathOf(draft), 200)).body.receiver.patient, p)
  })

  t.test('in the organization of a token', async (t) => {
    const { order } = await w.submitted()
    for (const [as_, status] of [
      [`${organization('region')}/`, 200],
      [`${organization('region')}//`, 404],
      [`${organization('regio')}/`, 404]
    ] as const)
      t.equal((await as('MonitoringResponsible', as_).get(pathOf(order))).status, status, as_)
    t.equal((await provider.get(pathOf(order))).status, 200)
  })
})

t.test('a Coding may have version, userSelected and display, which are not stored', async (t) => {
  const app = await testApp(t)
  const { clerk, nurse, ...w } = await world(app)
  const more = { version: '2026-01', userSelected: true, display: 'Whatever' }
  const order = await w.createDraft({ status: { ...vs('order-status', 'DRAFT'), ...more } })
  const line = await w.addLine(order, { action: { ...vs('order-line-action', 'deliver'), ...more } })
  t.same((await nurse.get(pathOf(line), 200)).body.action, {
    ...vs('order-line-action', 'DELIVER'),
    display: 'Delivery'
  })
  const repair = { ...vs('order-line-action', 'REPAIR'), ...more }
  await nurse.patch(pathOf(line), [replace('/action', repair)], 204)
  const submitted = { ...vs('order-status', 'SUBMITTED'), ...more }
  await nurse.patch(pathOf(order), [replace('/status', submitted)], 204)
  t.same(Object.keys((await nurse.get(pathOf(order), 200)).body.status).sort(), ['code', 'display', 'system'])
  const annotation = { catalogueItem: w.monitor, buyer: w.buyer, name: 'place', value: { ...scale, ...more } }
  const annotated = await clerk.create(`${catalogue}/annotation`, annotation)
  const kept = (await clerk.get(pathOf(annotated), 200)).body.value
  t.match(kept, scale)
  t.same(Object.keys(kept).sort(), ['code', 'display', 'system'])
  t.not(kept.display, more.display)
  for (const odd of [{ version: 1 }, { userSelected: 'yes' }, { extension: [] }]) {
    const status = { ...vs('catalogue-status', 'ACTIVE'), ...odd }
    const response = await clerk.post(`${catalogue}/catalogue`, { seller: w.seller, name: 'C', status })
    t.equal(outcome(response), `400 invalid-body /status/${Object.keys(odd)}`, JSON.stringify(odd))
  }
})

t.test('an annotation without a reserved name takes any code of a known system', async (t) => {
  const { clerk, buyer, monitor } = await world(await testApp(t))
  const unit = { system: 'urn:oid:1.2.208.176.2.1', code: 'NPU03011' }
  const rows: [name: string, value: object, wanted: string][] = [
    ['ehealth/device-type', scale, '201'],
    ['ehealth/device-measurement-unit', scale, '422 unknown-coding /value'],
    ...['ehealth/unheard-of', 'ehealth/Device-Type', 'ehealth/toString'].map(
      (name): [string, object, string] => [name, unit, '201']
    )
  ]
  for (const [name, value, wanted] of rows) {
    const annotation = { catalogueItem: monitor, buyer, name, value }
    t.equal(outcome(await clerk.post(`${catalogue}/annotation`, annotation)), wanted, name)
  }
})
