import t from 'tap'
import { testApp } from '../fixtures/app.js'
import { json, outcome } from '../fixtures/routes/refusal.js'
import { catalogue, moveTo, orders, organization, pathOf, patient, world } from '../fixtures/world.js'

const set = (path: string, value: unknown) => ({ op: 'replace', path, value })

t.test('JSON Patch on orders', async (t) => {
  const app = await testApp(t)
  const { nurse, provider, createDraft, addLine, submitted, draft, otherBuyer, otherSeller } =
    await world(app)
  const read = async (url: string) => (await nurse.get(pathOf(url), 200)).body

  t.test('every member of a draft can be changed', async (t) => {
    const order = await createDraft()
    const path = pathOf(order)
    await nurse.patch(
      path,
      [
        { op: 'test', path: '/status/code', value: 'DRAFT' },
        set('/name', 'Renamed'),
        set('/seller', otherSeller),
        set('/receiver/addressLine 1', 'Hovedgaden 1'),
        set('/receiver/clinicalRef', patient('p2')),
        { op: 'add', path: '/identifiers/-', value: { system: 'urn:s', value: '1' } },
        {
          op: 'add',
          path: '/notes/-',
          value: { note: 'Ring først', timestamp: '2026-03-01T10:00:00+01:00' }
        },
        { op: 'copy', from: '/name', path: '/receiver/phone' },
        { op: 'move', from: '/receiver/phone', path: '/receiver/email' },
        set('/priority', true)
      ],
      204
    )
    const body = await read(order)
    t.match(body, {
      name: 'Renamed',
      seller: otherSeller,
      priority: true,
      receiver: { addressLine1: 'Hovedgaden 1', patient: patient('p2'), email: 'Renamed', phone: null },
      identifiers: [{ system: 'urn:s', value: '1', assigner: null }],
      notes: [
        {
          timestamp: '2026-03-01T09:00:00.000Z',
          authorName: 'Nora Nurse',
          authorOrganization: 'region',
          note: 'Ring først'
        }
      ]
    })
    await nurse.patch(path, [set('', { ...body, name: 'Whole' })], 204)
    t.equal((await read(order)).name, 'Whole')
    await nurse.patch(path, [{ op: 'remove', path: '/name' }], 204)
    t.equal((await read(order)).name, null)
    t.equal(
      (await nurse.get(`${path}/details`)).body.traceLines.filter((each: { text: string }) =>
        /priority/.test(each.text)
      ).length,
      1
    )
  })

  t.test('applies the examples of RFC 6902, appendix A, to an order', async (t) => {
    const system = 'urn:s'
    const identifiers = (...values: string[]) => values.map((value) => ({ system, value, assigner: null }))
    const start = { name: '10', identifiers: identifiers('a', 'b', 'c'), priority: false }
    const receiver = { name: 'Other', patient: patient('p2'), phone: '2' }
    const d = { system, value: 'd' }
    const unchanged = { ...start, receiver: { phone: '1', email: null } }
    const applied: [name: string, patch: object[], expected: object][] = [
      ['A.1', [{ op: 'add', path: '/receiver/email', value: 'qux' }], { receiver: { email: 'qux' } }],
      [
        'A.2',
        [{ op: 'add', path: '/identifiers/1', value: d }],
        { identifiers: identifiers('a', 'd', 'b', 'c') }
      ],
      ['A.3', [{ op: 'remove', path: '/name' }], { name: null }],
      ['A.4', [{ op: 'remove', path: '/identifiers/1' }], { identifiers: identifiers('a', 'c') }],
      ['A.5', [set('/name', 'boo')], { name: 'boo' }],
      [
        'A.6',
        [{ op: 'move', from: '/receiver/phone', path: '/receiver/email' }],
        { receiver: { phone: null, email: '1' } }
      ],
      [
        'A.7',
        [{ op: 'move', from: '/identifiers/0', path: '/identifiers/2' }],
        { identifiers: identifiers('b', 'c', 'a') }
      ],
      [
        'A.8',
        [
          { op: 'test', path: '/name', value: '10' },
          { op: 'test', path: '/identifiers/1/value', value: 'b' }
        ],
        unchanged
      ],
      ['A.10', [{ op: 'add', path: '/receiver', value: receiver }], { receiver }],
      ['A.11', [{ ...set('/name', 'boo'), xyz: 123, from: 7 }], { name: 'boo' }],
      ['A.14, no escape in a value', [set('/name', '~01')], { name: '~01' }],
      [
        'A.16, at the end',
        [{ op: 'add', path: '/identifiers/-', value: d }],
        { identifiers: identifiers('a', 'b', 'c', 'd') }
      ],
      [
        'the index after the last',
        [{ op: 'add', path: '/identifiers/3', value: d }],
        { identifiers: identifiers('a', 'b', 'c', 'd') }
      ]
    ]
    const refused: [name: string, patch: string | object[], expected: string][] = [
      ['A.9', [{ op: 'test', path: '/name', value: 'bar' }], '409 failed-test'],
      ['A.12', [{ op: 'add', path: '/baz/bat', value: 'qux' }], '422 unpatchable-target /0'],
      [
        'A.13',
        '[{"op": "add", "path": "/name", "value": "qux", "op": "remove"}]',
        '400 malformed-json /0/op'
      ],
      ['A.14', [{ op: 'test', path: '/~01', value: 10 }], '422 unpatchable-target /0'],
      [
        'A.14, an escaped slash separates nothing',
        [{ op: 'test', path: '/receiver~1phone', value: '1' }],
        '422 unpatchable-target /0'
      ],
      ['A.15', [{ op: 'test', path: '/name', value: 10 }], '409 failed-test'],
      ['A.15, boolean', [{ op: 'test', path: '/priority', value: 'false' }], '409 failed-test'],
      [
        'A.16, an array as an element',
        [{ op: 'add', path: '/identifiers/-', value: [d] }],
        '422 invalid-result /identifiers/3'
      ],
      [
        'an index beyond the last',
        [{ op: 'add', path: '/identifiers/4', value: d }],
        '422 unpatchable-target /0'
      ]
    ]
    const create = () =>
      createDraft({ ...start, receiver: { name: 'R', patient: patient('p1'), phone: '1' } })
    for (const [name, patch, expected] of applied) {
      const order = await create()
      const response = await nurse.patch(pathOf(order), patch)
      t.equal(outcome(response), '204', name)
      t.match(await read(order), expected, name)
    }
    const order = await create()
    for (const [name, patch, expected] of refused) {
      const payload = typeof patch === 'string' ? patch : JSON.stringify(patch)
      const response = await nurse.send({ method: 'PATCH', url: pathOf(order), headers: json, payload })
      t.equal(outcome(response), expected, name)
    }
    t.match(await read(order), unchanged)
  })

  t.test('a patch without effect leaves no trace', async (t) => {
    const order = await createDraft()
    await nurse.patch(pathOf(order), [], 204)
    await nurse.patch(
      pathOf(order),
      [{ op: 'test', path: '/name', value: null }, set('/priority', false)],
      204
    )
    t.equal((await nurse.get(`${pathOf(order)}/details`)).body.traceLines.length, 1)
  })

  t.test('accepts the status in each of its forms', async (t) => {
    const system = (await read(await createDraft())).status.system
    for (const [path, value] of [
      ['/status', 'SUBMITTED'],
      ['/status', 'submitted'],
      ['/status', { system, code: 'SUBMITTED' }],
      ['/status', { system, code: 'SUBMITTED', display: 'whatever' }],
      ['/status/code', 'SUBMITTED'],
      ['/status/code', 'Submitted']
    ] as const) {
      const order = await createDraft()
      await addLine(order)
      await nurse.patch(pathOf(order), [set(path, value)], 204)
      t.same(
        (await read(order)).status,
        { system, code: 'SUBMITTED', display: 'Submitted' },
        JSON.stringify([path, value])
      )
    }
  })

  t.test('refused patches change nothing', async (t) => {
    const order = await createDraft({ name: 'before' })
    const { order: sent } = await submitted()
    const cases: [who: typeof nurse, order: string, patch: unknown, status: number, code: string][] = [
      [nurse, order, [set('/status/code', 'DRAFT')], 409, 'illegal-transition'],
      [nurse, order, [set('/status', 'DRAFT')], 409, 'illegal-transition'],
      [nurse, order, [set('/status/code', 'NONSENSE')], 422, 'unknown-coding'],
      [nurse, order, [set('/status', { system: 'urn:other', code: 'SUBMITTED' })], 422, 'unknown-coding'],
      [nurse, order, [set('/status/system', 'urn:other')], 422, 'read-only'],
      [nurse, order, [set('/status/display', 'other')], 422, 'read-only'],
      [nurse, order, [{ op: 'remove', path: '/status' }], 422, 'invalid-result'],
      [nurse, order, [set('/status', 7)], 422, 'invalid-result'],
      [nurse, order, [set('/status', 'CANCELLED'), set('/status', 'DRAFT')], 422, 'read-only'],
      [nurse, order, [set('/id', 'other')], 422, 'read-only'],
      [nurse, order, [{ op: 'remove', path: '/receiver' }], 422, 'invalid-result'],
      [nurse, order, [{ op: 'add', path: '/colour', value: 'red' }], 422, 'unpatchable-target'],
      [nurse, order, [set('/colour', 'red')], 422, 'unpatchable-target'],
      [nurse, order, [{ op: 'add', path: '/notes/7', value: { note: 'x' } }], 422, 'unpatchable-target'],
      [
        nurse,
        order,
        [set('/name', 'after'), { op: 'test', path: '/priority', value: true }],
        409,
        'failed-test'
      ],
      [nurse, order, [set('/name', 'after'), set('/status/code', 'SUBMITTED')], 422, 'no-open-lines'],
      [nurse, order, [set('/buyer', otherBuyer)], 422, 'dangling-reference'],
      [nurse, order, [set('/seller', 'https://elsewhere.example/party/1')], 422, 'dangling-reference'],
      [nurse, order, [set('/receiver/patient', 'https://fhir.example/Person/1')], 422, 'dangling-reference'],
      [nurse, sent, [set('/name', 'after')], 422, 'order-not-draft'],
      [nurse, sent, [set('/receiver/phone', '12345678')], 422, 'order-not-draft'],
      [provider, sent, [set('/name', 'after')], 403, 'not-your-move'],
      [provider, sent, [set('/priority', true)], 403, 'not-your-move'],
      [nurse, sent, moveTo('ACCEPTED'), 403, 'not-your-move'],
      [provider, sent, moveTo('CANCELLED'), 403, 'not-your-move'],
      [provider, sent, moveTo('DRAFT'), 409, 'illegal-transition'],
      [nurse, order, { op: 'replace' }, 400, 'invalid-body'],
      [nurse, order, [{ op: 'shout', path: '/name' }], 400, 'invalid-body'],
      [nurse, order, [{ op: 'add', path: 'name', value: 1 }], 400, 'invalid-body']
    ]
    const before = [await read(order), await read(sent)]
    for (const [who, url, patch, status, code] of cases) {
      const response = await who.patch(pathOf(url), patch)
      t.match(response, { status, body: { status, code } }, JSON.stringify(patch))
    }
    t.same([await read(order), await read(sent)], before)
  })

  t.test('notes are added to a submitted order under the name in the token', async (t) => {
    const { order } = await submitted()
    const path = pathOf(order)
    await nurse.patch(
      path,
      [
        {
          op: 'add',
          path: '/notes/-',
          value: { note: 'first', authorName: 'Somebody else', timestamp: '2001-01-01T00:00:00Z' }
        }
      ],
      204
    )
    await provider.patch(path, [{ op: 'add', path: '/notes/-', value: { note: 'second' } }], 204)
    const { notes } = await read(order)
    t.match(notes, [
      { authorName: 'Nora Nurse', authorOrganization: 'region', note: 'first' },
      { authorName: 'Per Provider', authorOrganization: 'provider', note: 'second' }
    ])
    t.ok(
      notes.every((note: { timestamp: string }) =>
        /^20(?!01)\d\d-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/.test(note.timestamp)
      )
    )
    for (const patch of [
      [set('/notes/0/note', 'changed')],
      [{ op: 'remove', path: '/notes/0' }],
      [{ op: 'add', path: '/notes/0', value: { note: 'before' } }],
      [set('/notes', [])]
    ])
      t.match(
        await provider.patch(path, patch),
        { status: 422, body: { code: 'append-only-notes' } },
        JSON.stringify(patch)
      )
    t.same((await read(order)).notes, notes)
  })

  t.test('the buyer changes priority until the order ends', async (t) => {
    const { order } = await submitted()
    await nurse.patch(pathOf(order), [set('/priority', true)], 204)
    await provider.patch(pathOf(order), moveTo('FULFILLED'), 204)
    t.match(await nurse.patch(pathOf(order), [set('/priority', false)]), {
      status: 422,
      body: { code: 'order-closed' }
    })
    const traces = (await provider.get(`${pathOf(order)}/details`)).body.traceLines
    t.match(
      traces.find((trace: { text: string }) => /priority/.test(trace.text)),
      {
        supplementaryText: 'Old value: false. New value: true.',
        statusChange: null,
        orderLine: null,
        createdByOrganization: 'region'
      }
    )
  })

  t.test('a deleted draft is not found', async (t) => {
    const order = await createDraft()
    const line = await addLine(order)
    await nurse.delete(pathOf(order), 204)
    for (const url of [pathOf(order), `${pathOf(order)}/details`, pathOf(line)]) await nurse.get(url, 404)
    t.same((await nurse.get(`${orders}/trace-lines?order=${encodeURIComponent(order)}`, 200)).body, [])
    await nurse.delete(pathOf(order), 404)
    await nurse.patch(pathOf(order), [set('/name', 'x')], 404)
    t.match(await nurse.post(`${orders}/order-line`, { order, item: line, action: 'DELIVER' }), {
      status: 422
    })
    const { order: sent } = await submitted()
    t.match(await nurse.delete(pathOf(sent)), { status: 409, body: { code: 'not-deletable' } })
  })

  t.test('a line deleted from a draft is not found', async (t) => {
    const order = await createDraft()
    const [kept, gone, cancelled] = [await addLine(order), await addLine(order), await addLine(order)]
    await nurse.patch(pathOf(cancelled), moveTo('CANCELLED'), 204)
    await nurse.delete(pathOf(gone), 204)
    for (const [method, body] of [['get'], ['delete'], ['patch', moveTo('CANCELLED')]] as const)
      t.match(await nurse[method](pathOf(gone), body as never), { status: 404 })
    const ids = (lines: { id: string }[]) => lines.map(({ id }) => id)
    const left = [kept, cancelled].map((line) => line.slice(-36))
    const of = encodeURIComponent(order)
    t.same(ids((await nurse.get(`${orders}/order-lines?order=${of}`, 200)).body), left)
    t.same(ids((await nurse.get(`${pathOf(order)}/details`, 200)).body.orderLines), left)

    t.match(await nurse.delete(pathOf(cancelled)), { status: 409, body: { code: 'not-deletable' } })
    await nurse.patch(pathOf(order), moveTo('SUBMITTED'), 204)
    t.match(await nurse.delete(pathOf(kept)), { status: 409, body: { code: 'not-deletable' } })
    t.same(ids((await provider.get(`${pathOf(order)}/details`, 200)).body.orderLines), left)
    t.same(await app.sql`select count(*)::int from order_lines where deleted_at is not null`, [{ count: 1 }])
  })

  t.test('submission requires a line that is not deleted', async (t) => {
    const order = await createDraft()
    await nurse.delete(pathOf(await addLine(order)), 204)
    t.match(await nurse.patch(pathOf(order), moveTo('SUBMITTED')), {
      status: 422,
      body: { code: 'no-open-lines' }
    })
  })

  t.test('create accepts each form and sets defaults', async (t) => {
    const earlier = await nurse.create(`${orders}/order`, {
      ...draft(),
      status: 'DRAFT',
      receiver: { name: 'R', clinicalRef: patient('p3'), 'addressLine 1': 'Line 1' }
    })
    t.match(await read(earlier), {
      identifiers: [],
      name: null,
      priority: false,
      notes: [],
      status: { code: 'DRAFT', display: 'Draft' },
      receiver: { name: 'R', addressLine1: 'Line 1', addressLine2: null, patient: patient('p3') }
    })
    const refusals: [more: object, status: number, code: string][] = [
      [{ status: 'SUBMITTED' }, 422, 'not-initial-status'],
      [{ status: 'NONSENSE' }, 422, 'unknown-coding'],
      [{ buyer: otherBuyer }, 422, 'dangling-reference'],
      [{ seller: draft().buyer }, 422, 'wrong-role'],
      [{ receiver: { name: 'R' } }, 400, 'invalid-body'],
      [{ receiver: { name: 'R', patient: patient('a'), clinicalRef: patient('b') } }, 400, 'invalid-body'],
      [{ receiver: { name: 'R', patient: organization('a') } }, 422, 'dangling-reference'],
      [{ id: '018f0000-0000-7000-8000-000000000000' }, 400, 'invalid-body'],
      [{ colour: 'red' }, 400, 'invalid-body']
    ]
    for (const [more, status, code] of refusals)
      t.match(
        await nurse.post(`${orders}/order`, draft(more)),
        { status, body: { code } },
        JSON.stringify(more)
      )
  })
})

t.test('JSON Patch on order lines', async (t) => {
  const app = await testApp(t)
  const w = await world(app)
  const { clerk, nurse, provider, otherNurse, otherProvider, createDraft, addLine, submitted } = w
  const { catalogue: list, monitor, repair } = w
  const order = await createDraft()
  const line = await addLine(order)

  await nurse.patch(pathOf(line), [set('/item', repair), set('/action', 'repair')], 204)
  t.match((await nurse.get(pathOf(line), 200)).body, {
    item: repair,
    action: { code: 'REPAIR' },
    status: { code: 'UNFULFILLED' }
  })

  const unlisted = await clerk.create(`${catalogue}/catalogue-item`, {
    ...{ catalogueItemType: 'DeviceModel', catalogue: list, name: 'N', manufacturer: 'M', model: 'O' }
  })
  const running = await submitted()
  const [sent = ''] = running.lines
  const cases: [who: typeof nurse, line: string, patch: unknown, status: number, code: string][] = [
    [nurse, line, moveTo('SUBMITTED'), 409, 'illegal-transition'],
    [nurse, line, [set('/order', running.order)], 422, 'read-only'],
    [nurse, line, [set('/id', sent)], 422, 'read-only'],
    [nurse, line, [set('/item', 'https://elsewhere.example/x')], 422, 'dangling-reference'],
    [nurse, line, [set('/action', 'DANCE')], 422, 'unknown-coding'],
    [nurse, line, [set('/item', unlisted)], 422, 'not-white-listed'],
    [nurse, sent, [set('/item', repair)], 422, 'order-not-draft'],
    [nurse, sent, [set('/action', 'REPAIR')], 422, 'order-not-draft'],
    [provider, sent, [set('/item', repair)], 403, 'not-your-move'],
    [provider, sent, [set('/action', 'REPAIR')], 403, 'not-your-move'],
    [provider, sent, [set('/item', 'https://elsewhere.example/x')], 403, 'not-your-move'],
    [nurse, sent, moveTo('FULFILLED'), 403, 'not-your-move'],
    [provider, sent, moveTo('SUBMITTED'), 409, 'illegal-transition'],
    [provider, line, moveTo('FULFILLED'), 404, 'not-found'],
    [otherNurse, line, moveTo('CANCELLED'), 404, 'not-found'],
    [otherProvider, sent, moveTo('FULFILLED'), 404, 'not-found']
  ]
  for (const [who, url, patch, status, code] of cases)
    t.match(await who.patch(pathOf(url), patch), { status, body: { code } }, JSON.stringify(patch))

  await provider.patch(pathOf(sent), moveTo('UNFULFILLED'), 204)
  t.match(await provider.patch(pathOf(running.order), moveTo('FULFILLED')), {
    status: 409,
    body: { code: 'unfulfilled-lines' }
  })
  await nurse.patch(pathOf(sent), moveTo('SUBMITTED'), 204)
  await provider.patch(pathOf(running.order), moveTo('FULFILLED'), 204)
  t.match((await provider.get(pathOf(sent), 200)).body, { item: monitor, status: { code: 'FULFILLED' } })
})
