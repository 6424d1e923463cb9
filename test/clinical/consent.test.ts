import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { hasEnded, hasStarted } from '../../src/clinical/fhir-time.js'
import { clinicalWorld } from '../fixtures/clinical.js'
import { outcome } from '../fixtures/routes/refusal.js'
import { writingNothing } from '../fixtures/routes/writes.js'
import { moveTo, orders, pathOf } from '../fixtures/world.js'

const refusal = '422 no-consent /receiver/patient'
const category = [{ coding: [{ system: 'urn:consents', code: 'SSLPCI' }] }]

/** A world that requires consent, with a draft that lacks only that. */
async function consentWorld(t: Parameters<typeof clinicalWorld>[0]) {
  const w = await clinicalWorld(t, { REQUIRE_CONSENT: 'true' })
  const consent = (id: string, more: object = {}) => ({
    ...{ resourceType: 'Consent', id, status: 'active', category, patient: { reference: 'Patient/p1' } },
    ...more
  })
  const ready = async (more: object = {}) => {
    const order = await w.createDraft(more)
    await w.addLine(order)
    return order
  }
  const submit = (order: string) => w.nurse.patch(pathOf(order), moveTo('SUBMITTED'))
  return { ...w, consent, ready, submit }
}

t.test('submission requires consent', async (t) => {
  const w = await consentWorld(t)
  const { fhir, nurse, ready, submit, consent } = w
  const order = await ready()

  t.test('refuses submission without consent', async (t) => {
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
      ...{ patient: 'Patient/p1', status: 'active', category: 'SSLPCI', _count: '50' }
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
    const to = (id: string) => [{ op: 'replace', path: '/receiver/patient', value: w.patient(id) }]
    const mine = await ready()
    t.equal(outcome(await nurse.patch(pathOf(mine), [...to('p3'), ...moveTo('SUBMITTED')])), refusal)
    t.match(
      (await nurse.get(pathOf(mine), 200)).body.receiver,
      { patient: w.patient('p1') },
      'all or nothing'
    )
    const theirs = await ready({ receiver: { name: 'R', patient: w.patient('p3') } })
    await fhir.forget()
    t.equal(outcome(await nurse.patch(pathOf(theirs), [...to('p1'), ...moveTo('SUBMITTED')])), '204')
    t.match(await fhir.received(), [{ body: /patient=Patient%2Fp1&/ }])
  })

  t.test('checks consent last, and only on submission', async (t) => {
    const { order: running } = await w.submitted()
    const empty = await w.createDraft()
    const draft = await ready()
    await fhir.forget()
    t.equal(outcome(await submit(empty)), '422 no-open-lines')
    t.equal(outcome(await submit(running)), '409 illegal-transition')
    t.equal(outcome(await w.provider.patch(pathOf(running), moveTo('ACCEPTED'))), '204')
    t.equal(
      outcome(await nurse.patch(pathOf(draft), [{ op: 'replace', path: '/priority', value: true }])),
      '204'
    )
    t.equal(outcome(await nurse.patch(pathOf(running), moveTo('CANCELLED'))), '204')
    t.equal(outcome(await nurse.patch(pathOf(draft), moveTo('CANCELLED'))), '204')
    await nurse.post(`${orders}/order`, w.draft(), 201)
    t.same(await fhir.received(), [])
  })

  t.test('consent that the caller may not read does not count', async (t) => {
    const draft = await ready()
    for (const status of [401, 403]) {
      await fhir.behave({ status })
      t.equal(outcome(await submit(draft)), refusal, String(status))
    }
    await fhir.behave({ status: 404 })
    t.match(await submit(draft), { status: 503, body: { code: 'clinical-backend-unavailable' } })
    await fhir.behave('cut')
    await writingNothing(t, w.sql, async () => {
      t.match(await submit(draft), { status: 503, headers: { 'retry-after': '10' } })
    })
    await fhir.behave('well')
    t.equal(outcome(await submit(draft)), '204')
  })
})

t.test('checks each consent in the response itself', async (t) => {
  const w = await consentWorld(t)
  const { consent, fhir } = w
  const good = consent('c')
  const full = { patient: { reference: w.patient('p1') } }
  const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()
  const during = (start?: string, end?: string) => consent('c', { provision: { period: { start, end } } })
  const responses: [what: string, entries: unknown, wanted: string][] = [
    ['nothing', undefined, refusal],
    ['no entries', [], refusal],
    ['as requested', [{ resource: good }], '204'],
    ['the URL of the patient', [{ resource: consent('c', full) }], '204'],
    [
      'among others',
      [{ resource: { resourceType: 'OperationOutcome' } }, {}, { resource: null }, { resource: good }],
      '204'
    ],
    [
      'the code in a second coding',
      [{ resource: consent('c', { category: [{}, { coding: [{}, { code: 'SSLPCI' }] }] }) }],
      '204'
    ],
    ['another resource', [{ resource: { ...good, resourceType: 'Contract' } }], refusal],
    ...['draft', 'proposed', 'rejected', 'inactive', 'entered-in-error', 'ACTIVE', null].map(
      (status): [string, unknown, string] => [
        `status ${status}`,
        [{ resource: { ...good, status } }],
        refusal
      ]
    ),
    ...[
      undefined,
      [],
      [{}],
      [{ text: 'SSLPCI' }],
      [{ coding: [{ display: 'SSLPCI' }] }],
      [{ coding: [{ code: 'sslpci' }] }]
    ].map((other): [string, unknown, string] => [
      JSON.stringify(other) ?? 'no category',
      [{ resource: { ...good, category: other } }],
      refusal
    ]),
    ...[
      ...[
        'Patient/p2',
        'Patient/p11',
        'Patient/p1/_history/1',
        'p1',
        '',
        'Practitioner/p1',
        '#p1',
        'urn:uuid:p1'
      ],
      ...['https://fhir.example/Patient/p1', w.patient('p2'), `${w.patient('p1')}?x`]
    ].map((reference): [string, unknown, string] => [
      reference,
      [{ resource: { ...good, patient: { reference } } }],
      refusal
    ]),
    ['no patient', [{ resource: { ...good, patient: undefined } }], refusal],
    ['a patient by name', [{ resource: { ...good, patient: { display: 'Patient/p1' } } }], refusal],
    ['now', [{ resource: during(day(-1), day(1)) }], '204'],
    ['since', [{ resource: during(day(-1)) }], '204'],
    ['until', [{ resource: during(undefined, day(1)) }], '204'],
    ['over', [{ resource: during(day(-2), day(-1)) }], refusal],
    ['in the future', [{ resource: during(day(1), day(2)) }], refusal],
    ['an invalid end', [{ resource: during(undefined, 'never') }], refusal],
    ['given', [{ resource: { ...good, dateTime: day(-1) } }], '204'],
    ['given tomorrow', [{ resource: { ...good, dateTime: day(1) } }], refusal],
    ['permitting', [{ resource: { ...good, provision: { type: 'permit' } } }], '204'],
    ['denying', [{ resource: { ...good, provision: { type: 'deny' } } }], refusal]
  ]
  for (const [what, entry, wanted] of responses) {
    const order = await w.ready()
    await fhir.behave({ status: 200, body: { resourceType: 'Bundle', type: 'searchset', entry } })
    t.equal(outcome(await w.submit(order)), wanted, what)
    await fhir.behave('well')
  }

  t.test('does not follow a next page', async (t) => {
    const [order, last] = [await w.ready(), await w.ready()]
    const link = [{ relation: 'next', url: `${fhir.base}/Consent?page=2` }]
    const page = (...resources: object[]) => ({
      ...{ resourceType: 'Bundle', type: 'searchset', link },
      entry: resources.map((resource) => ({ resource }))
    })
    for (const body of [page(), page(consent('c', { status: 'inactive' }))]) {
      await fhir.behave({ status: 200, body })
      await fhir.forget()
      await writingNothing(t, w.sql, async () => {
        t.match(
          await w.submit(order),
          { status: 503, body: { code: 'clinical-backend-unavailable' } },
          'the content of the next page is unknown'
        )
      })
      t.equal((await fhir.received()).length, 1)
    }
    await fhir.behave({ status: 200, body: page(consent('c', { status: 'inactive' }), good) })
    await fhir.forget()
    t.equal(outcome(await w.submit(order)), '204', 'a match on the first page suffices')
    t.equal((await fhir.received()).length, 1)
    await fhir.behave({ status: 200, body: { ...page(), link: [{ relation: 'self', url: fhir.base }, {}] } })
    t.equal(outcome(await w.submit(last)), refusal, 'other links mean no further page')
  })

  t.test('a response that is not a search result is an outage', async (t) => {
    const order = await w.ready()
    const bodies = [
      ...[good, { resourceType: 'OperationOutcome' }, {}, [], null],
      ...[
        { resourceType: 'Bundle', type: 'history' },
        { resourceType: 'Bundle', type: 'searchset', entry: {} }
      ]
    ]
    for (const body of bodies) {
      await fhir.behave({ status: 200, body })
      t.match(
        await w.submit(order),
        { status: 503, body: { code: 'clinical-backend-unavailable' } },
        JSON.stringify(body)
      )
    }
  })
})

t.test('times of FHIR', async (t) => {
  const now = { instant: new Date('2026-11-21T22:30:00Z'), date: '2026-11-22' }
  const cases: [text: string, begun: boolean, over: boolean][] = [
    ['2026', true, false],
    ['2025', true, true],
    ['2027', false, false],
    ['2026-11', true, false],
    ['2026-10', true, true],
    ['2026-12', false, false],
    ['2026-11-22', true, false],
    ['2026-11-21', true, true],
    ['2026-11-23', false, false],
    ['2026-11-21T22:30:00Z', true, false],
    ['2026-11-21T23:30:00.000+01:00', true, false],
    ['2026-11-21T22:29:59.999Z', true, true],
    ['2026-11-21T23:29:59+01:00', true, true],
    ['2026-11-21T22:30:59Z', true, false],
    ['2026-11-21T22:31:01Z', false, false],
    ...['', 'x', '2026-11-21T22:30', '21-11-2026', '2026-99-99T00:00:00Z'].map(
      (text): [string, boolean, boolean] => [text, false, true]
    )
  ]
  for (const [text, begun, over] of cases) {
    t.equal(hasStarted(text, now), begun, `${text} has begun`)
    t.equal(hasEnded(text, now), over, `${text} is over`)
  }
})

t.test('concurrent changes', async (t) => {
  const w = await consentWorld(t)
  const { fhir, nurse, consent, ready, submit } = w
  await fhir.keep(consent('given'))

  t.test('one of two submissions wins', async (t) => {
    for (let round = 0; round < 5; round++) {
      const order = await ready()
      const responses = await Promise.all([submit(order), submit(order)])
      t.same(responses.map(outcome).sort(), ['204', '409 illegal-transition'])
    }
  })

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
      const priority = [{ op: 'replace', path: '/priority', value: changes % 2 === 0 }]
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
    const to = (id: string) => [{ op: 'replace', path: '/receiver/patient', value: w.patient(id) }]
    await fhir.forget()
    await fhir.behave('held', { path: '/Consent' })
    const submission = submit(order)
    const isAsked = async () => (await fhir.received()).some(({ url }) => url.includes('/Consent'))
    while (!(await isAsked())) await pause(5)
    await nurse.patch(pathOf(order), to('p4'), 204)
    await fhir.behave('well')
    t.equal(outcome(await submission), refusal, 'consent of the new patient is requested')
    t.match((await nurse.get(pathOf(order), 200)).body.status, { code: 'DRAFT' })
  })
})
