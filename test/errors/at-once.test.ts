import type { InjectOptions } from 'fastify'
import t from 'tap'
import { testWorld } from '../fixtures/app.js'
import type { Caller } from '../fixtures/callers.js'
import { unknownId } from '../fixtures/routes/addresses.js'
import { payloadOf } from '../fixtures/routes/refusal.js'
import { writingNothing } from '../fixtures/routes/writes.js'
import {
  add,
  catalogue,
  deviceModel,
  orders,
  party,
  pathOf,
  replace,
  scale,
  service,
  terms,
  transitionTo,
  withQuery
} from '../fixtures/world.js'

/* Requests with several errors, which the response reports together. */

const { app, w } = await testWorld(t, { EVENT_TARGETS: 'https://receiver.example' })
const { clerk, nurse } = w

interface FoundError {
  pointer: string
  code: string
  detail: string
}

/** Asserts that a response reports these errors, as `code pointer`, and that its detail counts them. */
async function reports(caller: Caller, request: InjectOptions, wanted: readonly string[]): Promise<void> {
  await writingNothing(t, app.sql, async () => {
    const { body } = await caller.send(request)
    const what = `${request.method} ${request.url} ${request.payload}`
    const found = body.errors?.map(({ code, pointer }: FoundError) => `${code} ${pointer}`) ?? []
    t.same(found.sort(), [...wanted].sort(), what)
    if (body.status === 422 && wanted.length > 1 && body.code !== 'invalid-result')
      t.match(body.detail, `There are ${wanted.length} errors`, what)
  })
}

const sent = (method: 'POST' | 'PUT' | 'PATCH', url: string, body: unknown): InjectOptions => ({
  method,
  url,
  ...payloadOf(body)
})

t.test('reports all schema errors of an item with an unknown or missing type', async () => {
  const url = `${catalogue}/catalogue-item`
  const others = ['required /catalogue', 'wrong-type /name', 'unknown-field /colour']
  const item = { name: 7, colour: 'red', manufacturer: 7 }
  await reports(clerk, sent('POST', url, { ...item, catalogueItemType: 'Robot' }), [
    'not-allowed /catalogueItemType',
    ...others
  ])
  await reports(clerk, sent('POST', url, item), ['required /catalogueItemType', ...others])
  await reports(clerk, sent('POST', url, { ...item, catalogueItemType: 'DeviceModel' }), [
    ...others,
    'wrong-type /manufacturer',
    'required /model'
  ])
  const line = [{ op: 'merge', path: 'status' }, { path: 7 }]
  await reports(nurse, sent('PATCH', pathOf(await w.createDraft()), line), [
    ...['not-allowed /0/op', 'pattern /0/path', 'required /1/op', 'wrong-type /1/path']
  ])
})

t.test('reports a missing seller together with a missing patient', async () => {
  const order = { buyer: w.buyer, receiver: { name: 'R' }, priority: 'yes' }
  const wanted = ['required /seller', 'required /receiver/patient', 'wrong-type /priority']
  await reports(nurse, sent('POST', `${orders}/order`, order), wanted)
  const withNull = { ...order, receiver: { name: 'R', patient: null } }
  await reports(nurse, sent('POST', `${orders}/order`, withNull), wanted)
  const { body } = await nurse.post(`${orders}/order`, order)
  t.match(body.detail, '/receiver/patient is required')
})

t.test('reports a missing id of a PUT together with the other schema errors', async () => {
  for (const [path, errors] of [
    [`${catalogue}/catalogue`, ['required /seller', 'required /name']],
    [`${catalogue}/catalogue-item`, ['required /catalogueItemType', 'required /catalogue', 'required /name']],
    [`${orders}/party`, ['required /allowedRoles', 'required /name', 'required /organization']]
  ] as const) {
    await reports(clerk, sent('PUT', path, {}), ['required /id', ...errors])
    await reports(clerk, sent('PUT', path, { id: null }), ['wrong-type /id', ...errors])
  }
})

t.test('reports every path of a JSON Patch that does not exist', async () => {
  const draft = pathOf(await w.createDraft())
  const unpatchable = [0, 1].map((at) => `unpatchable-target /${at}`)
  await reports(nurse, sent('PATCH', draft, [replace('/nope', 1), replace('/state', 1)]), unpatchable)
  const missing = [
    { op: 'remove', path: '/notes/7' },
    { op: 'move', from: '/identifiers/0', path: '/name' },
    { op: 'test', path: '/priority', value: true }
  ]
  await reports(nurse, sent('PATCH', draft, missing), unpatchable)
})

t.test('reports every read-only member of a JSON Patch, and an unknown status', async () => {
  const draft = pathOf(await w.createDraft())
  await reports(nurse, sent('PATCH', draft, [replace('/created', 'x'), replace('/updated', 'x')]), [
    ...['read-only /0/value', 'read-only /1/value']
  ])
  const line = pathOf(await w.addLine(await w.createDraft()))
  const patch = [replace('/allowedStatuses', []), replace('/order', 'x'), ...transitionTo('GONE')]
  await reports(nurse, sent('PATCH', line, patch), [
    ...['read-only /0/value', 'read-only /1/value', 'unknown-coding /2/value']
  ])
})

t.test('reports an invalid status together with references to missing resources', async () => {
  const order = `http://127.0.0.1:3000${orders}/order/${unknownId}`
  const line = { order, item: w.buyer, action: 'FLY', status: 'FULFILLED' }
  const ofLine = [
    ...['not-initial-status /status', 'unknown-coding /action'],
    ...['dangling-reference /item', 'dangling-reference /order']
  ]
  await reports(nurse, sent('POST', `${orders}/order-line`, line), ofLine)
  await reports(nurse, sent('POST', `${orders}/order-line`, { ...line, order: w.buyer }), ofLine)

  const draft = await w.createDraft()
  const content = [replace('/buyer', w.otherBuyer), replace('/seller', w.buyer), ...transitionTo('GONE')]
  await reports(nurse, sent('PATCH', pathOf(draft), content), [
    ...['dangling-reference /0/value', 'wrong-role /1/value', 'unknown-coding /2/value']
  ])
  const patch = [replace('/item', w.buyer), replace('/action', 'FLY'), ...transitionTo('GONE')]
  await reports(nurse, sent('PATCH', pathOf(await w.addLine(draft)), patch), [
    ...['dangling-reference /0/value', 'unknown-coding /1/value', 'unknown-coding /2/value']
  ])
})

t.test('reports an invalid period of a contract together with its references', async () => {
  const contract = {
    ...terms('https://elsewhere.example/party/1', 'nothing', 'nobody'),
    validityPeriod: { start: [2026, 2, 30], end: [2026, 1, 1] }
  }
  await reports(clerk, sent('POST', `${orders}/contract`, contract), [
    ...['invalid-period /validityPeriod/start', 'dangling-reference /seller'],
    ...['dangling-reference /buyer/0', 'dangling-reference /account']
  ])
})

t.test('reports each member of a submitted order that may not change', async () => {
  const { order, lines } = await w.submitted()
  const content = [replace('/seller', w.otherSeller), replace('/name', 'x')]
  const wanted = [0, 1].map((at) => `order-not-draft /${at}/value`)
  await reports(nurse, sent('PATCH', pathOf(order), content), wanted)
  const patch = [replace('/item', w.repair), replace('/action', 'REPAIR')]
  await reports(nurse, sent('PATCH', pathOf(lines[0] ?? ''), patch), wanted)
})

t.test('reports members that a caller may not change together with the other errors of a patch', async () => {
  const { order, lines } = await w.submitted()
  const note = add('/notes/0', { note: 'first' })
  await reports(
    w.provider,
    sent('PATCH', pathOf(order), [replace('/name', 'x'), replace('/priority', true)]),
    [...['not-your-move /0/value', 'not-your-move /1/value']]
  )
  await nurse.patch(pathOf(order), [add('/notes/-', { note: 'stored' })], 204)
  await reports(nurse, sent('PATCH', pathOf(order), [replace('/name', 'x'), note]), [
    ...['order-not-draft /0/value', 'append-only-notes /1/value']
  ])
  const patch = [replace('/item', w.repair), ...transitionTo('GONE')]
  await reports(w.provider, sent('PATCH', pathOf(lines[0] ?? ''), patch), [
    ...['not-your-move /0/value', 'unknown-coding /1/value']
  ])
})

t.test('reports an invalid target of a subscription together with an invalid secret', async () => {
  const subscription = { target: 'http://receiver.example', types: ['order.created'], secret: 'x' }
  await reports(nurse, sent('POST', `${orders}/subscription`, subscription), [
    ...['invalid-body /secret', 'target-not-allowed /target']
  ])
})

t.test(
  'reports duplicates together with the other errors, with the URL of the existing resource',
  async (t) => {
    const identifiers = [{ system: 'urn:x', value: '1' }]
    const device = deviceModel(w.catalogue, { identifiers })
    const url = await clerk.create(`${catalogue}/catalogue-item`, device)
    await reports(clerk, sent('POST', `${catalogue}/catalogue-item`, { ...device, status: 'SOLD' }), [
      ...['unknown-coding /status', 'duplicate-identifier /identifiers/0']
    ])
    const entries = [
      { buyer: w.buyer, item: w.monitor },
      { buyer: w.seller, item: w.monitor },
      { buyer: w.buyer, item: url },
      { buyer: w.buyer, item: url }
    ]
    await reports(clerk, sent('POST', `${catalogue}/white-lists`, entries), [
      ...['wrong-role /1/buyer', 'duplicate-entry /0', 'duplicate-entry /3']
    ])
    const { body } = await clerk.get(withQuery(`${catalogue}/white-lists`, { item: w.monitor }), 200)
    const listedUrl = `http://127.0.0.1:3000${catalogue}/white-list/${body[0].id}`
    const annotation = { catalogueItem: url, buyer: w.buyer, name: 'free', value: scale }
    const annotated = await clerk.create(`${catalogue}/annotation`, annotation)
    const black = { patient: 'https://fhir.example/Patient/p9', item: url }
    const blackListed = await nurse.create(`${catalogue}/black-list`, black)
    for (const [caller, path, body, existing] of [
      [clerk, 'catalogue-item', device, url],
      [clerk, 'white-list', { buyer: w.buyer, item: w.monitor }, listedUrl],
      [clerk, 'annotation', annotation, annotated],
      [clerk, 'annotations', [annotation], annotated],
      [nurse, 'black-list', black, blackListed]
    ] as const) {
      const response = await caller.post(`${catalogue}/${path}`, body, 409)
      t.match(
        response.body,
        { detail: existing, errors: [{ resource: { url: existing, pointer: '' } }] },
        path
      )
    }
  }
)

t.test('reports forbidden changes of a party or catalogue together with invalid codes', async () => {
  await reports(clerk, sent('PUT', pathOf(w.buyer), party('elsewhere', 'KING', 'SELLER')), [
    ...['unknown-coding /allowedRoles/0', 'party-in-use /allowedRoles', 'fixed-organization /organization']
  ])
  const other = await clerk.create(`${catalogue}/catalogue`, { seller: w.seller, name: 'Other' })
  await clerk.create(`${catalogue}/catalogue-item`, service(other, { relatedTo: w.monitor }))
  const list = { seller: w.otherSeller, name: 'Other', status: 'GONE' }
  await reports(clerk, sent('PUT', pathOf(other), list), ['unknown-coding /status', 'fixed-seller /seller'])
})

t.test('names only the member if there is a single error', async (t) => {
  const { body } = await nurse.post(`${orders}/order`, w.draft({ seller: w.buyer }), 422)
  t.equal(body.detail, '/seller: It must be a party with the role SELLER.')
})
