import t from 'tap'
import { testWorld } from '../fixtures/app.js'
import { idOf } from '../fixtures/routes/addresses.js'
import { newDevice, vs } from '../fixtures/routes/bodies.js'
import { outcome, secret } from '../fixtures/routes/refusal.js'
import { writingNothing } from '../fixtures/routes/writes.js'
import { add, pathOf, patient, replace, transitionTo } from '../fixtures/world.js'

/*
 * The rules of JSON Patches of orders. test/errors/patches.test.ts tests the errors of all
 * resources.
 */

const { app, w } = await testWorld(t)
const { nurse, provider, createDraft, addLine, submitted, otherBuyer, otherSeller } = w
const read = async (url: string) => (await nurse.get(pathOf(url), 200)).body
const detailsOf = async (url: string) => (await nurse.get(`${pathOf(url)}/details`, 200)).body

const remove = (path: string) => ({ op: 'remove', path })

t.test('every member of a draft can be changed', async (t) => {
  const order = await createDraft({ identifiers: [{ system: 'urn:s', value: 'last' }] })
  await nurse.patch(
    pathOf(order),
    [
      { op: 'test', path: '/status/code', value: 'DRAFT' },
      { ...replace('/name', 'Renamed'), from: 7, unknown: 'members are ignored' },
      replace('/seller', otherSeller),
      replace('/receiver/addressLine 1', 'Hovedgaden 1'),
      replace('/receiver/clinicalRef', patient('p2')),
      add('/identifiers/0', { system: 'urn:s', value: 'first' }),
      add('/notes/-', { note: 'Ring først', timestamp: '2026-03-01T10:00:00+01:00' }),
      { op: 'copy', from: '/name', path: '/receiver/phone' },
      { op: 'move', from: '/receiver/phone', path: '/receiver/email' },
      replace('/priority', true)
    ],
    204
  )
  t.match(await read(order), {
    name: 'Renamed',
    seller: otherSeller,
    priority: true,
    receiver: { addressLine1: 'Hovedgaden 1', patient: patient('p2'), email: 'Renamed', phone: null },
    identifiers: [
      { system: 'urn:s', value: 'first', assigner: null },
      { system: 'urn:s', value: 'last', assigner: null }
    ],
    notes: [
      {
        timestamp: '2026-03-01T09:00:00.000Z',
        authorName: 'Nora Nurse',
        authorOrganization: 'region',
        note: 'Ring først'
      }
    ]
  })
})

t.test('the whole document can be replaced, and an optional member removed', async (t) => {
  const order = await createDraft()
  await nurse.patch(pathOf(order), [replace('', { ...(await read(order)), name: 'Whole' })], 204)
  t.equal((await read(order)).name, 'Whole')
  await nurse.patch(pathOf(order), [remove('/name'), replace('/receiver/phone', '1')], 204)
  t.match(await read(order), { name: null, receiver: { phone: '1' } })
  t.equal((await detailsOf(order)).traceLines.length, 1, 'the receiver of a draft is not traced')
})

t.test('accepts the status in each of its forms', async (t) => {
  const coding = vs('order-status', 'SUBMITTED')
  for (const patch of [
    replace('/status', 'SUBMITTED'),
    replace('/status', 'submitted'),
    replace('/status', coding),
    replace('/status', { ...coding, display: 'ignored' }),
    replace('/status/code', 'SUBMITTED'),
    replace('/status/code', 'Submitted')
  ]) {
    const order = await createDraft()
    await addLine(order)
    await nurse.patch(pathOf(order), [patch], 204)
    t.same((await read(order)).status, { ...coding, display: 'Submitted' }, JSON.stringify(patch))
  }
})

const draft = await createDraft({ name: 'before' })
const line = await addLine(await createDraft())
const {
  order: running,
  lines: [sentLine = '']
} = await submitted()
const unlisted = await newDevice(w)
const whole = await read(draft)

/** Asserts that patches, of the draft unless a URL is given, are rejected and write nothing. */
function refuses(
  what: string,
  { by = nurse, url = draft },
  cases: { patch: object[]; refusal: string }[]
): void {
  t.test(what, (t) =>
    writingNothing(t, app.sql, async () => {
      for (const { patch, refusal } of cases)
        t.equal(outcome(await by.patch(pathOf(url), patch)), refusal, JSON.stringify(patch))
    })
  )
}

refuses('the id, the code system and the display of the status are read-only', {}, [
  { patch: [replace('/id', 'other')], refusal: '422 read-only /0/value' },
  { patch: [replace('/id', '')], refusal: '422 read-only /0/value' },
  { patch: [replace('', { ...whole, id: idOf(running) })], refusal: '422 read-only /0/value/id' },
  { patch: [{ op: 'copy', from: '/name', path: '/id' }], refusal: '422 read-only /0' },
  { patch: [replace('/status/system', 'urn:other')], refusal: '422 read-only /0/value' },
  { patch: [replace('/status/display', 'other')], refusal: '422 read-only /0/value' }
])

refuses('a patch makes one move, or is refused as a whole', {}, [
  { patch: [...transitionTo('CANCELLED'), ...transitionTo('DRAFT')], refusal: '422 read-only /1/value' },
  { patch: [replace('/name', 'after'), ...transitionTo('DRAFT')], refusal: '409 illegal-transition' },
  { patch: [...transitionTo('FULFILLED'), replace('/name', 'after')], refusal: '409 illegal-transition' },
  { patch: [replace('/name', 'after'), ...transitionTo('SUBMITTED')], refusal: '422 no-open-lines' },
  {
    patch: [replace('/name', 'after'), { op: 'test', path: '/priority', value: true }],
    refusal: '409 failed-test'
  }
])

refuses('statuses and references must exist', {}, [
  { patch: transitionTo(secret), refusal: '422 unknown-coding /0/value' },
  {
    patch: [replace('/status', vs('order-line-status', 'SUBMITTED'))],
    refusal: '422 unknown-coding /0/value'
  },
  { patch: [replace('/buyer', otherBuyer)], refusal: '422 dangling-reference /0/value' },
  { patch: [replace('/seller', w.contract)], refusal: '422 dangling-reference /0/value' },
  {
    patch: [replace('/seller', 'https://elsewhere.example/party/1')],
    refusal: '422 dangling-reference /0/value'
  },
  { patch: [replace('/receiver/patient', secret)], refusal: '422 dangling-reference /0/value' },
  {
    patch: [replace('/receiver/patient', 'https://fhir.example/Person/1')],
    refusal: '422 dangling-reference /0/value'
  }
])

refuses('parties, name and patient change only in a draft', { url: running }, [
  { patch: [replace('/name', 'after')], refusal: '422 order-not-draft /0/value' },
  {
    patch: [replace('/receiver/phone', secret), replace('/receiver/patient', patient('p2'))],
    refusal: '422 order-not-draft /1/value'
  },
  { patch: [replace('/seller', otherSeller)], refusal: '422 order-not-draft /0/value' }
])

refuses('the seller changes neither the order nor its priority', { by: provider, url: running }, [
  { patch: [replace('/name', 'after')], refusal: '403 not-your-move /0/value' },
  { patch: [replace('/receiver/phone', secret)], refusal: '403 not-your-move /0/value' },
  { patch: [replace('/priority', true)], refusal: '403 not-your-move /0/value' }
])

t.test('notes are added to a submitted order under the name in the token', async (t) => {
  const { order } = await submitted()
  const forged = { note: 'first', authorName: 'Somebody else', timestamp: '2001-01-01T00:00:00Z' }
  await nurse.patch(pathOf(order), [add('/notes/-', forged)], 204)
  await provider.patch(pathOf(order), [add('/notes/-', { note: ' second\n' })], 204)
  const timestamp = /^20(?!01)\d\d-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/
  t.match((await read(order)).notes, [
    { authorName: 'Nora Nurse', authorOrganization: 'region', note: 'first', timestamp },
    { authorName: 'Per Provider', authorOrganization: 'provider', note: ' second\n', timestamp }
  ])
})

t.test('notes of a submitted order are never changed or removed', async (t) => {
  const { order } = await submitted()
  await nurse.patch(pathOf(order), [add('/notes/-', { note: 'first' })], 204)
  const before = await read(order)
  for (const [pointer, patch] of [
    ['/0/value', [replace('/notes/0/note', 'changed')]],
    ['/1', [add('/notes/-', { note: secret }), remove('/notes/0')]],
    ['/0/value', [add('/notes/0', { note: 'before' })]],
    ['/0/value', [replace('/notes', [])]]
  ] as const)
    for (const caller of [nurse, provider])
      t.equal(
        outcome(await caller.patch(pathOf(order), patch)),
        `422 append-only-notes ${pointer}`,
        JSON.stringify(patch)
      )
  t.same(await read(order), before)
})

t.test('the buyer changes the receiver until the order ends, and each change is traced', async (t) => {
  const { order } = await submitted()
  const receiverOf = async (caller: typeof nurse) => (await caller.get(pathOf(order), 200)).body.receiver
  const before = await receiverOf(nurse)
  const changes = {
    name: secret,
    addressLine1: secret,
    postalCode: '8000',
    email: 'r@b.example',
    phone: secret
  }
  await app.sql`update parties set allowed_roles = '{BUYER}' where id = ${idOf(w.seller)}`
  await nurse.patch(pathOf(order), [replace('/receiver', { ...before, ...changes })], 204)
  await app.sql`update parties set allowed_roles = '{SELLER}' where id = ${idOf(w.seller)}`
  t.same(await receiverOf(provider), { ...before, ...changes })
  await nurse.patch(pathOf(order), [replace('/receiver/addressLine 1', secret)], 204)
  await provider.patch(pathOf(order), transitionTo('ACCEPTED'), 204)
  await nurse.patch(pathOf(order), [replace('/receiver/phone', null)], 204)
  const traced = (await detailsOf(order)).traceLines.filter((each: { text: string }) =>
    /^Rec/.test(each.text)
  )
  t.match(traced, [
    {
      text: 'Receiver changed.',
      supplementaryText: 'Changed: name, addressLine1, postalCode, email, phone.',
      createdByOrganization: 'region'
    },
    { text: 'Receiver changed.', supplementaryText: 'Changed: phone.' }
  ])
  const events =
    await app.sql`select sequence, is_of_draft from events where type = 'order.receiver-changed' order by sequence`
  t.match(
    [...events],
    [
      { sequence: 3, is_of_draft: false },
      { sequence: 5, is_of_draft: false }
    ]
  )
  const found = async (q: string) => (await nurse.get(`/ssl-order/v1/orders?q=${q}`, 200)).body.length
  t.equal(await found(encodeURIComponent(secret)), 1, 'it is found by the new name')

  await provider.patch(pathOf(order), transitionTo('FULFILLED'), 204)
  t.equal(
    outcome(await nurse.patch(pathOf(order), [replace('/receiver/phone', '1')])),
    '422 order-closed /0/value'
  )
})

t.test('the buyer changes the priority until the order ends, and each change is traced', async (t) => {
  const { order } = await submitted()
  await nurse.patch(pathOf(order), [replace('/priority', true)], 204)
  await provider.patch(pathOf(order), transitionTo('FULFILLED'), 204)
  t.match(outcome(await nurse.patch(pathOf(order), [replace('/priority', false)])), /^422 order-closed/)
  const { traceLines } = await detailsOf(order)
  const traces = traceLines.filter(({ text }: { text: string }) => /priority/.test(text))
  t.equal(traces.length, 1)
  t.match(traces[0], {
    supplementaryText: 'Old value: false. New value: true.',
    statusChange: null,
    orderLine: null,
    createdByOrganization: 'region'
  })
})

const elsewhere = 'https://elsewhere.example/x'

refuses('order and id of a line are read-only', { url: line }, [
  { patch: [replace('/order', running)], refusal: '422 read-only /0/value' },
  { patch: [replace('/id', idOf(sentLine))], refusal: '422 read-only /0/value' }
])

refuses('item and action of a line must exist and be orderable', { url: line }, [
  { patch: [replace('/item', elsewhere)], refusal: '422 dangling-reference /0/value' },
  { patch: [replace('/item', w.catalogue)], refusal: '422 dangling-reference /0/value' },
  { patch: [replace('/item', unlisted)], refusal: '422 not-white-listed /0/value' },
  { patch: [replace('/action', secret)], refusal: '422 unknown-coding /0/value' },
  { patch: [replace('/action/system', 'urn:x')], refusal: '422 unknown-coding /0/value' }
])

refuses('item and action do not change after submission', { url: sentLine }, [
  { patch: [replace('/item', w.repair)], refusal: '422 order-not-draft /0/value' },
  { patch: [replace('/action', 'REPAIR')], refusal: '422 order-not-draft /0/value' }
])

refuses('the seller does not change item and action', { by: provider, url: sentLine }, [
  { patch: [replace('/item', w.repair)], refusal: '403 not-your-move /0/value' },
  { patch: [replace('/item', elsewhere)], refusal: '403 not-your-move /0/value' },
  { patch: [replace('/action', 'REPAIR')], refusal: '403 not-your-move /0/value' }
])
