import t from 'tap'
import { testApp } from '../fixtures/app.js'
import { refusalErrors } from '../fixtures/routes/refusal.js'
import { catalogue, moveTo, orders, organization, pathOf, patient, world } from '../fixtures/world.js'

t.test(
  'an item that cannot be ordered is refused with a code per reason, when a line is added and on submission',
  async (t) => {
    const app = await testApp(t)
    const w = await world(app)
    const { clerk, nurse, monitor, buyer, seller, account, otherSeller } = w

    const replaceCatalogue = (more: object) =>
      clerk.put(
        `${catalogue}/catalogue`,
        { id: pathOf(w.catalogue).split('/').at(-1), seller, name: 'Devices', status: 'ACTIVE', ...more },
        204
      )
    const replaceItem = (status: string) =>
      clerk.put(
        pathOf(monitor),
        {
          catalogueItemType: 'DeviceModel',
          catalogue: w.catalogue,
          name: 'Blood pressure monitor',
          manufacturer: 'A&D',
          model: 'UA-767',
          status
        },
        204
      )
    const replaceContract = (more: object) =>
      clerk.put(
        pathOf(w.contract),
        {
          name: 'C',
          validityPeriod: { start: '2020-01-01', end: [2999, 12, 31] },
          seller,
          account,
          buyer: [buyer],
          ...more
        },
        204
      )
    const replaceParty = (party: string, name: string, role: string) =>
      clerk.put(pathOf(party), { allowedRoles: [role], name, organization: organization(name) }, 204)
    const found = new URLSearchParams({ buyer, patient: patient('p1'), q: 'UA-767' })
    const listed = await clerk.get(
      `${catalogue}/white-lists?buyer=${encodeURIComponent(buyer)}&item=${encodeURIComponent(monitor)}`,
      200
    )
    const black: string[] = []
    // A clerk may put its own organization into a contract only as the account.
    const ownAccount = await clerk.create(`${orders}/party`, {
      ...{ name: 'Own account', allowedRoles: ['ACCOUNTING'], organization: organization('region') }
    })

    const reasons: [code: string, spoil: () => Promise<unknown>, mend: () => Promise<unknown>][] = [
      [
        'no-contract',
        () => replaceContract({ validityPeriod: { start: [2020, 1, 1], end: [2020, 12, 31] } }),
        () => replaceContract({})
      ],
      [
        'no-contract',
        () => replaceContract({ validityPeriod: { start: [2998, 1, 1], end: [2999, 12, 31] } }),
        () => replaceContract({})
      ],
      [
        'no-contract',
        () => replaceContract({ buyer: [w.otherBuyer], account: ownAccount }),
        () => replaceContract({})
      ],
      ['no-contract', () => replaceContract({ seller: otherSeller }), () => replaceContract({})],
      [
        'no-contract',
        () => replaceParty(seller, 'provider', 'BUYER'),
        () => replaceParty(seller, 'provider', 'SELLER')
      ],
      [
        'no-contract',
        () => replaceParty(buyer, 'region', 'ACCOUNTING'),
        () => replaceParty(buyer, 'region', 'BUYER')
      ],
      ['catalogue-not-active', () => replaceCatalogue({ status: 'INACTIVE' }), () => replaceCatalogue({})],
      ['catalogue-not-active', () => replaceCatalogue({ status: 'DRAFT' }), () => replaceCatalogue({})],
      ['foreign-item', () => replaceCatalogue({ seller: otherSeller }), () => replaceCatalogue({})],
      ['item-not-available', () => replaceItem('UNAVAILABLE'), () => replaceItem('AVAILABLE')],
      ['item-not-available', () => replaceItem('discontinued'), () => replaceItem('AVAILABLE')],
      [
        'black-listed',
        async () =>
          black.push(
            await nurse.create(`${catalogue}/black-list`, { patient: patient('p1'), item: monitor })
          ),
        () => nurse.delete(pathOf(black.at(-1) ?? ''), 204)
      ],
      [
        'not-white-listed',
        () => clerk.delete(`${catalogue}/white-list/${listed.body[0].id}`, 204),
        () => clerk.create(`${catalogue}/white-list`, { buyer, item: monitor })
      ]
    ]
    for (const [code, spoil, mend] of reasons) {
      const order = await w.createDraft()
      const line = await w.addLine(order)
      await spoil()
      const refused = { status: 422, body: { code, errors: [{ code }] } }
      t.match(
        await nurse.post(`${orders}/order-line`, { order, item: monitor, action: 'DELIVER' }),
        refused,
        `${code}: line`
      )
      const submission = await nurse.patch(pathOf(order), moveTo('SUBMITTED'))
      t.match(submission, refused, `${code}: submission`)
      t.equal(submission.body.errors[0].pointer, '/status')
      t.equal(
        submission.body.errors[0].detail.startsWith(`${line}: `),
        code !== 'no-contract',
        'names the line'
      )
      t.equal(
        (await nurse.get(`${pathOf(order)}/details`)).body.traceLines.length,
        1,
        `${code}: nothing was written`
      )
      t.same(
        (await nurse.get(`${catalogue}/catalogue-items?${found}`, 200)).body,
        [],
        `${code}: the search omits it`
      )
      const question = { buyer, patient: patient('p1'), items: [monitor] }
      for (const more of code === 'foreign-item' ? [{ seller }] : [{ seller }, {}]) {
        const { status, body } = await nurse.post(`${orders}/orderability`, { ...question, ...more })
        if (status === 422) t.equal(body.code, 'wrong-role', 'a party without its role')
        else t.match(body, [{ item: monitor, orderable: false, reasons: [{ code }] }], `${code}: check`)
      }
      await mend()
      t.same((await nurse.post(`${orders}/orderability`, question, 200)).body, [
        { item: monitor, orderable: true, reasons: [] }
      ])
      await nurse.patch(pathOf(order), moveTo('SUBMITTED'), 204)
    }
  }
)

t.test('all reasons are reported at once', async (t) => {
  const app = await testApp(t)
  const w = await world(app)
  await w.nurse.create(`${catalogue}/black-list`, { patient: patient('p1'), item: w.monitor })
  const order = await w.createDraft({ seller: w.otherSeller })
  const { body } = await w.nurse.post(
    `${orders}/order-line`,
    { order, item: w.monitor, action: 'DELIVER' },
    422
  )
  t.same(
    body.errors.map((error: { code: string; pointer: string }) => [error.code, error.pointer]),
    [
      ['no-contract', '/order'],
      ['foreign-item', '/item'],
      ['black-listed', '/item']
    ]
  )
})

t.test('a refused submission names each line and each of its reasons', async (t) => {
  const app = await testApp(t)
  const w = await world(app)
  const order = await w.createDraft()
  const [first, repair, second] = [
    await w.addLine(order),
    await w.addLine(order, { item: w.repair, action: 'REPAIR' }),
    await w.addLine(order)
  ]
  const cancelled = await w.addLine(order)
  await w.nurse.patch(pathOf(cancelled), moveTo('CANCELLED'), 204)
  const listed = await w.clerk.get(`${catalogue}/white-lists`, 200)
  for (const { id } of listed.body) await w.clerk.delete(`${catalogue}/white-list/${id}`, 204)
  await w.nurse.create(`${catalogue}/black-list`, { patient: patient('p1'), item: w.monitor })
  await app.sql`update contracts set last_day = first_day`

  const refused = await w.nurse.patch(pathOf(order), moveTo('SUBMITTED'), 422)
  t.same(refusalErrors(refused), [], 'a well-formed problem')
  const faults = refused.body.errors.map(
    ({ code, pointer, resource }: { code: string; pointer: string; resource?: object }) => ({
      ...{ code, pointer },
      ...resource
    })
  )
  const at = { pointer: '/item' }
  t.same(
    new Set(faults),
    new Set([
      { code: 'no-contract', pointer: '/status' },
      { code: 'not-white-listed', ...at, url: first },
      { code: 'black-listed', ...at, url: first },
      { code: 'not-white-listed', ...at, url: repair },
      { code: 'not-white-listed', ...at, url: second },
      { code: 'black-listed', ...at, url: second }
    ])
  )
  t.equal(faults.length, 6, 'the cancelled line is not named')
})

t.test('a contract includes its first and last day', async (t) => {
  const app = await testApp(t)
  const w = await world(app)
  const today = '2030-05-10'
  Object.assign(app.app, { today: () => today })
  await w.clerk.put(
    pathOf(w.contract),
    {
      name: 'One day',
      validityPeriod: { start: [2030, 5, 10], end: today },
      seller: w.seller,
      account: w.account,
      buyer: [w.buyer]
    },
    204
  )
  await w.addLine(await w.createDraft())
})

t.test('a submitted order goes on when its item can no longer be ordered', async (t) => {
  const app = await testApp(t)
  const w = await world(app)
  const [accepted, cancelled] = [await w.submitted(), await w.submitted()]
  await w.nurse.create(`${catalogue}/black-list`, { patient: patient('p1'), item: w.monitor })
  await app.sql`update contracts set last_day = first_day`
  await w.provider.patch(pathOf(accepted.order), moveTo('ACCEPTED'), 204)
  await w.nurse.patch(pathOf(cancelled.order), moveTo('CANCELLED'), 204)
})

t.test('lines start UNFULFILLED or SUBMITTED', async (t) => {
  const app = await testApp(t)
  const { nurse, addLine, createDraft, monitor } = await world(app)
  const order = await createDraft()
  for (const [status, code] of [
    [undefined, 'UNFULFILLED'],
    ['UNFULFILLED', 'UNFULFILLED'],
    ['submitted', 'SUBMITTED']
  ] as const)
    t.equal((await nurse.get(pathOf(await addLine(order, { status })))).body.status.code, code)
  for (const status of ['FULFILLED', 'CANCELLED'])
    t.match(await nurse.post(`${orders}/order-line`, { order, item: monitor, action: 'DELIVER', status }), {
      status: 422,
      body: { code: 'not-initial-status' }
    })
})

t.test('a cancelled line of a draft neither prevents submission nor counts as a line', async (t) => {
  const app = await testApp(t)
  const { nurse, createDraft, addLine, monitor, repair } = await world(app)
  const order = await createDraft()
  const cancelled = await addLine(order)
  await addLine(order, { item: repair, action: 'REPAIR' })
  await nurse.patch(pathOf(cancelled), moveTo('CANCELLED'), 204)
  await nurse.create(`${catalogue}/black-list`, { patient: patient('p1'), item: monitor })
  await nurse.patch(pathOf(order), moveTo('SUBMITTED'), 204)
  const { body } = await nurse.get(`${pathOf(order)}/details`, 200)
  const codes = body.orderLines.map((line: { status: { code: string } }) => line.status.code)
  t.same([body.order.status.code, ...codes], ['SUBMITTED', 'CANCELLED', 'SUBMITTED'])

  const empty = await createDraft()
  await nurse.patch(pathOf(await addLine(empty, { item: repair })), moveTo('CANCELLED'), 204)
  t.match(await nurse.patch(pathOf(empty), moveTo('SUBMITTED')), {
    status: 422,
    body: { code: 'no-open-lines' }
  })
})
