import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { clinicalWorld } from '../fixtures/clinical.js'
import { outcome } from '../fixtures/routes/refusal.js'
import { writingNothing } from '../fixtures/routes/writes.js'
import { until } from '../fixtures/waiting.js'
import { orders, pathOf, replace, transitionTo } from '../fixtures/world.js'

const refusal = '422 no-consent /0/value'
const category = [{ coding: [{ system: 'urn:consents', code: 'SSLPCI' }] }]

const w = await clinicalWorld(t, { REQUIRE_CONSENT: 'true' })
const { fhir, nurse } = w

const consent = (id: string, more: object = {}) => ({
  resourceType: 'Consent',
  id,
  status: 'active',
  category,
  patient: { reference: 'Patient/p1' },
  ...more
})

/** A draft that lacks only consent. */
async function ready(more: object = {}): Promise<string> {
  const order = await w.createDraft(more)
  await w.addLine(order)
  return order
}
const submit = (order: string) => nurse.patch(pathOf(order), transitionTo('SUBMITTED'))

t.test('submission requires consent', async (t) => {
  const order = await ready()

  t.test('rejects submission without consent', async (t) => {
    await writingNothing(t, w.sql, async () => {
      t.equal(outcome(await submit(order)), refusal)
      await fhir.keep(
        consent('withdrawn', { status: 'inactive' }),
        consent('other', { category: [{ coding: [{ code: 'other' }] }] }),
        consent('another', { patient: { reference: 'Patient/p2' } })
      )
      t.equal(outcome(await submit(order)), refusal)
    })
    t.equal(outcome(await submit(await ready({ receiver: { name: 'R', patient: w.patient('p2') } }))), '204')
  })

  t.test('sends only the search, without the patient in the URL', async (t) => {
    await fhir.forget()
    await submit(order)
    const [asked, ...others] = await fhir.received()
    t.same(others, [])
    t.match(asked, { method: 'POST', url: '/fhir/Consent/_search' })
    t.same(Object.fromEntries(new URLSearchParams(asked?.body)), {
      patient: 'Patient/p1',
      status: 'active',
      category: 'SSLPCI',
      _count: '50'
    })
    t.same(Object.keys(asked?.headers ?? {}).sort(), [
      ...['accept', 'authorization', 'connection', 'content-length', 'content-type', 'host']
    ])
    t.equal(asked?.headers['content-type'], 'application/x-www-form-urlencoded')
    t.match(asked?.headers.authorization, /^Bearer /)
  })

  t.test('submits with consent, which is checked each time', async (t) => {
    await fhir.keep(consent('given'))
    t.equal(outcome(await submit(order)), '204')
    t.match((await nurse.get(pathOf(order), 200)).body, { status: { code: 'SUBMITTED' } })
    const next = await ready()
    await fhir.keep(consent('given', { status: 'inactive' }))
    t.equal(outcome(await submit(next)), refusal, 'a found consent is not cached')
    await fhir.keep(consent('given'))
    t.equal(outcome(await submit(next)), '204', 'a missing consent is not cached')
  })

  t.test('checks the consent of the current patient', async (t) => {
    const to = (id: string) => [replace('/receiver/patient', w.patient(id))]
    const mine = await ready()
    t.equal(outcome(await nurse.patch(pathOf(mine), [...to('p3'), ...transitionTo('SUBMITTED')])), refusal)
    t.match(
      (await nurse.get(pathOf(mine), 200)).body.receiver,
      { patient: w.patient('p1') },
      'all or nothing'
    )
    const theirs = await ready({ receiver: { name: 'R', patient: w.patient('p3') } })
    await fhir.forget()
    t.equal(outcome(await nurse.patch(pathOf(theirs), [...to('p1'), ...transitionTo('SUBMITTED')])), '204')
    t.match(await fhir.received(), [{ body: /patient=Patient%2Fp1&/ }])
  })

  t.test('checks consent last, and only on submission', async (t) => {
    const { order: running } = await w.submitted()
    const empty = await w.createDraft()
    const draft = await ready()
    await fhir.forget()
    t.equal(outcome(await submit(empty)), '422 no-open-lines')
    t.equal(outcome(await submit(running)), '409 illegal-transition')
    t.equal(outcome(await w.provider.patch(pathOf(running), transitionTo('ACCEPTED'))), '204')
    t.equal(outcome(await nurse.patch(pathOf(draft), [replace('/priority', true)])), '204')
    t.equal(outcome(await nurse.patch(pathOf(running), transitionTo('CANCELLED'))), '204')
    t.equal(outcome(await nurse.patch(pathOf(draft), transitionTo('CANCELLED'))), '204')
    await nurse.post(`${orders}/order`, w.draft(), 201)
    t.same(await fhir.received(), [])
  })
})

t.test('concurrent changes', async (t) => {
  await fhir.keep(consent('given'))

  t.test('a slow response takes effect while the order changes and is requested once', async (t) => {
    const order = await ready()
    await fhir.behave('held')
    await fhir.forget()
    let isDone = false
    const submission = submit(order).finally(() => {
      isDone = true
    })
    await fhir.reached(1)
    for (let changes = 0; !isDone; changes++) {
      const priority = [replace('/priority', changes % 2 === 0)]
      await nurse.patch(pathOf(order), priority, 204)
      if (changes === 4) await fhir.behave('well')
      await pause(5)
    }
    t.equal(outcome(await submission), '204')
    t.equal((await fhir.received()).length, 1)
  })

  t.test('a patient changed during the check needs its own consent', async (t) => {
    await fhir.behave('well')
    const order = await ready()
    const to = (id: string) => [replace('/receiver/patient', w.patient(id))]
    await fhir.forget()
    await fhir.behave('held', { path: '/Consent' })
    const submission = submit(order)
    const isAsked = async () => (await fhir.received()).some(({ url }) => url.includes('/Consent'))
    await until(isAsked)
    await nurse.patch(pathOf(order), to('p4'), 204)
    await fhir.behave('well')
    t.equal(outcome(await submission), refusal, 'consent of the new patient is requested')
    t.match((await nurse.get(pathOf(order), 200)).body.status, { code: 'DRAFT' })
  })
})

t.test('a consent names its supplier', async (t) => {
  const actor = (reference?: string) => ({
    role: {},
    reference: reference === undefined ? {} : { reference }
  })
  const permit = (...actors: object[]) => consent('c', { provision: { actor: actors } })
  const seller = actor(w.organization('provider'))
  const other = actor(w.organization('other-provider'))
  const deny = (...actors: object[]) => consent('d', { provision: { type: 'deny', actor: actors } })
  const except = (...provisions: object[]) =>
    consent('c', { provision: { type: 'permit', provision: provisions } })
  const denyTo = (...actors: object[]) => except({ type: 'deny', actor: actors })
  const cases: [what: string, wanted: string, consents: object[], detail?: RegExp][] = [
    ['no consent', refusal, [], /needs an active consent/],
    ['without actors', '204', [permit()]],
    ['without a provision', '204', [consent('c')]],
    ['for the seller', '204', [permit(seller)]],
    ['for another one', refusal, [permit(other)], /other organization/],
    ['for several', '204', [permit(other, seller)]],
    ['for several others', refusal, [permit(other, actor('CareTeam/provider'))]],
    ['relative', '204', [permit(actor('Organization/provider'))]],
    ['of a version', '204', [permit(actor('Organization/provider/_history/2'))]],
    ['relative to another', refusal, [permit(actor('Organization/other-provider'))]],
    ['on another server', refusal, [permit(actor('https://x/Organization/provider'))]],
    ['an actor without a reference', refusal, [permit(actor())]],
    ['two that disagree', '204', [permit(other), permit(seller)]],
    ['a deny', refusal, [deny()], /needs an active consent/],
    ['a deny for the seller', refusal, [deny(seller)]],
    ['a deny next to a permit', '204', [deny(seller), permit(seller)]],
    ['an exception for the seller', refusal, [denyTo(seller)], /exclude this one/],
    ['an exception for another', '204', [denyTo(other)]],
    ['an exception without an actor', refusal, [except({ type: 'deny' })]],
    ['an exception for an actor without a reference', refusal, [denyTo(actor())]],
    ['an exception for another and the seller', refusal, [denyTo(other, seller)]],
    [
      'an exception of an exception for the seller',
      refusal,
      [except({ type: 'permit', provision: [{ type: 'deny', actor: [seller] }] })]
    ],
    [
      'an exception at the third level without an actor',
      refusal,
      [except({ provision: [{ type: 'permit', provision: [{ type: 'deny', actor: [] }] }] })]
    ],
    [
      'an exception of a denied exception, for the seller',
      '204',
      [except({ type: 'deny', actor: [other], provision: [{ type: 'permit', actor: [seller] }] })]
    ],
    ['an exception next to another consent', '204', [except({ type: 'deny' }), permit(seller)]]
  ]
  const responseOf = (consents: object[]) => ({
    status: 200,
    body: { resourceType: 'Bundle', type: 'searchset', entry: consents.map((resource) => ({ resource })) }
  })
  for (const [what, wanted, consents, detail] of cases) {
    const order = await ready()
    await fhir.behave(responseOf(consents))
    const response = await submit(order)
    t.equal(outcome(response), wanted, what)
    if (detail) t.match(response.body.detail, detail, what)
    await fhir.behave('well')
  }

  t.test('the supplier that the same patch chooses', async (t) => {
    const order = await ready()
    const choose = (value: string) => replace('/seller', value)
    await nurse.patch(pathOf(order), [choose(w.otherSeller)], 204)
    const patch = [choose(w.seller), ...transitionTo('SUBMITTED')]
    await fhir.behave(responseOf([permit(other)]))
    t.equal(outcome(await nurse.patch(pathOf(order), patch)), '422 no-consent /1/value')
    await fhir.behave(responseOf([permit(seller)]))
    t.equal(outcome(await nurse.patch(pathOf(order), patch)), '204')
    await fhir.behave('well')
  })

  t.test('CONSENT_ACTOR=ignore accepts consents of care teams', async (t) => {
    const lenient = await clinicalWorld(t, { REQUIRE_CONSENT: 'true', CONSENT_ACTOR: 'ignore' })
    const order = await lenient.createDraft()
    await lenient.addLine(order)
    await lenient.fhir.behave(responseOf([permit(actor('CareTeam/1'))]))
    t.equal(outcome(await lenient.nurse.patch(pathOf(order), transitionTo('SUBMITTED'))), '204')
    const other = await lenient.createDraft()
    await lenient.addLine(other)
    await lenient.fhir.behave(responseOf([except({ type: 'deny' })]))
    t.equal(outcome(await lenient.nurse.patch(pathOf(other), transitionTo('SUBMITTED'))), refusal)
  })
})
