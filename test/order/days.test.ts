import t from 'tap'
import { testWorld } from '../fixtures/app.js'
import { catalogue, orders, organization, pathOf, terms } from '../fixtures/world.js'

/** Days of Europe/Copenhagen with their start and end: one of 24 hours, of 23, and of 25. */
const days = [
  ['2026-06-15', '2026-06-14T22:00:00.000Z', '2026-06-15T22:00:00.000Z'],
  ['2026-03-29', '2026-03-28T23:00:00.000Z', '2026-03-29T22:00:00.000Z'],
  ['2026-10-25', '2026-10-24T22:00:00.000Z', '2026-10-25T23:00:00.000Z']
] as const

const earlier = (moment: string) => new Date(Date.parse(moment) - 1).toISOString()

const noon = '2026-06-15T12:00:00+02:00'

/** Queries of a period, with the moments of its beginning and end. */
const periods: { query: Record<string, string>; begin?: string; end?: string }[] = [
  ...days.flatMap(([day, begin, end]) => [
    { query: { from: day }, begin },
    { query: { to: day }, end },
    { query: { from: day, to: day }, begin, end },
    { query: { from: begin }, begin },
    { query: { to: end }, end }
  ]),
  { query: { from: noon }, begin: '2026-06-15T10:00:00.000Z' },
  { query: { to: noon }, end: '2026-06-15T10:00:00.000Z' }
]

/** Moments at the borders of the periods, and whether the query finds rows of that moment. */
const moments = periods.flatMap(({ query, begin, end }) => [
  ...(begin === undefined ? [] : [{ query, moment: earlier(begin), isIn: false }]),
  ...(begin === undefined ? [] : [{ query, moment: begin, isIn: true }]),
  ...(end === undefined ? [] : [{ query, moment: earlier(end), isIn: true }]),
  ...(end === undefined ? [] : [{ query, moment: end, isIn: false }])
])

t.test('days and periods', async (t) => {
  const { app, w } = await testWorld(t)
  const { clerk, nurse } = w
  const count = async (url: string, query: object) =>
    (await nurse.get(`${url}?${new URLSearchParams({ ...query })}`, 200)).body.length

  t.test('a period of orders includes its first and last day', async (t) => {
    const order = await w.createDraft()
    for (const { query, moment, isIn } of moments) {
      await app.sql`update orders set created_at = ${moment}`
      t.equal(await count(`${orders}/orders`, query), isIn ? 1 : 0, `${JSON.stringify(query)} ${moment}`)
    }
    await nurse.delete(pathOf(order), 204)
  })

  t.test('a period of audit events includes its first and last day', async (t) => {
    for (const { query, moment, isIn } of moments) {
      const [row] = await app.sql`
        insert into audit_events (id, recorded, request_id, operation, interaction, user_type, organization, patients, orders)
        values (gen_random_uuid(), ${moment}, 'r', 'o', 'read', 'MonitoringResponsible', ${organization('region')}, '{}', '{}')
        returning id`
      // Requests of this test are recorded now, which is later than these moments.
      const bounded = new URLSearchParams({ to: '2027-01-01', ...query })
      const { body } = await nurse.get(`${orders}/audit-events?limit=1000&${bounded}`, 200)
      const isFound = body.some(({ id }: { id: string }) => id === row?.id)
      t.equal(isFound, isIn, `${JSON.stringify(query)} ${moment}`)
    }
  })

  const contract = (more: object) =>
    clerk.put(
      pathOf(w.contract),
      {
        ...terms(w.seller, w.account, w.buyer),
        validityPeriod: { start: [2026, 3, 29], end: [2026, 10, 25] },
        ...more
      },
      204
    )
  const itIs = (today: string) => Object.assign(app.app, { today: () => today })

  t.test('a contract is in force from its first day to its last', async (t) => {
    await contract({})
    const order = await w.createDraft()
    const found = `${catalogue}/catalogue-items?${new URLSearchParams({ buyer: w.buyer })}`
    for (const [today, isInForce] of [
      ['2026-03-28', false],
      ['2026-03-29', true],
      ['2026-10-25', true],
      ['2026-10-26', false]
    ] as const) {
      itIs(today)
      const line = await nurse.post(`${orders}/order-line`, { order, item: w.monitor, action: 'DELIVER' })
      t.match(line, isInForce ? { status: 201 } : { status: 422, body: { code: 'no-contract' } }, today)
      t.equal((await nurse.get(found, 200)).body.length, isInForce ? 2 : 0, `search ${today}`)
      t.equal(await count(`${orders}/contracts`, { validOn: today }), isInForce ? 1 : 0, `validOn ${today}`)
    }
  })

  t.test('the reminder of a contract is due from its date to the last day of the contract', async (t) => {
    const cases: [reminderDays: number | null, due: string[], notDue: string[]][] = [
      [30, ['2026-09-25', '2026-10-25'], ['2026-09-24', '2026-10-26']],
      [1, ['2026-10-24', '2026-10-25'], ['2026-10-23', '2026-10-26']],
      [0, ['2026-10-25'], ['2026-10-24', '2026-10-26']],
      [36_500, ['2026-03-29', '2026-10-25'], ['2026-03-28', '2026-10-26']],
      [null, [], ['2026-03-29', '2026-10-25']]
    ]
    for (const [reminderDays, due, notDue] of cases) {
      await contract({ reminderDays })
      for (const today of [...due, ...notDue]) {
        itIs(today)
        const wanted = due.includes(today) ? 1 : 0
        t.equal(await count(`${orders}/contracts`, { expiring: 'true' }), wanted, `${reminderDays} ${today}`)
        t.equal(await count(`${orders}/contracts`, { expiring: 'false' }), 1, 'false lists all')
      }
    }
    await contract({ reminderDays: 30, expiryReminderDays: 1 })
    for (const [today, wanted] of [
      ['2026-10-23', 0],
      ['2026-10-24', 1]
    ] as const) {
      itIs(today)
      t.equal(await count(`${orders}/contracts`, { expiring: 'true' }), wanted, `expiryReminderDays ${today}`)
    }
    const invalid = {
      reminderDays: [-1, 36_501, 1.5],
      expiryReminderDays: [-1, 36_501, 1.5],
      answerDays: [0, 366, 1.5]
    }
    const { body } = await clerk.get(pathOf(w.contract), 200)
    for (const [name, values] of Object.entries(invalid))
      for (const value of values)
        t.match(await clerk.put(pathOf(w.contract), { ...body, [name]: value }), {
          status: 400,
          body: { code: 'invalid-body', errors: [{ pointer: `/${name}` }] }
        })
  })

  t.test('a contract may last a single day and each fault of its period is reported', async (t) => {
    const body = (await clerk.get(pathOf(w.contract), 200)).body
    const put = (start: unknown, end: unknown) =>
      clerk.put(pathOf(w.contract), { ...body, validityPeriod: { start, end } })
    t.equal((await put([2026, 3, 29], '2026-03-29')).status, 204)
    t.match(await put([2026, 13, 1], '2026-02-31'), {
      status: 422,
      body: { errors: [{ pointer: '/validityPeriod/start' }, { pointer: '/validityPeriod/end' }] }
    })
    t.equal((await put([2024, 2, 29], '2024-02-29')).status, 204)
  })
})
