import t, { type Test } from 'tap'
import { ofOneServer, testApp } from '../fixtures/app.js'
import { setTime } from '../fixtures/day-clock.js'
import { seed } from '../fixtures/effort.js'
import { idOf } from '../fixtures/routes/addresses.js'
import { outcome } from '../fixtures/routes/refusal.js'
import { moveTo, orders, organization, pathOf, type World, world } from '../fixtures/world.js'

const start = '2026-03-27T12:00:00.000Z'
const after = (hours: number, milliseconds = 0) =>
  new Date(Date.parse(start) + hours * 3_600_000 + milliseconds).toISOString()

/** What an order waits for, which all ways to read it show alike. */
async function attentionOf(w: World, order: string): Promise<string[]> {
  const { body } = await w.nurse.get(pathOf(order), 200)
  for (const by of [w.nurse, w.provider]) {
    const { body: nested } = await by.get(`${pathOf(order)}/details`, 200)
    const { body: flat } = await by.get(`${pathOf(order)}/details?form=flat`, 200)
    const listed = (await by.get(`${orders}/orders`, 200)).body.find(
      ({ id }: { id: string }) => id === body.id
    )
    for (const each of [(await by.get(pathOf(order), 200)).body, nested.order, flat, listed])
      t.same(each.attention, body.attention)
  }
  return body.attention
}

t.test('an order is UNANSWERED after the days of the setting, or of a contract in force', async (t) => {
  for (const [env, limit] of [
    [{}, 72],
    [{ ANSWER_DAYS: '10' }, 240],
    [{ ANSWER_DAYS: '0' }, undefined]
  ] as const) {
    const app = await testApp(t, env)
    const w = await world(app)
    const { order } = await w.submitted()
    await app.sql`update orders set submitted_at = ${start}`
    const unansweredAt = async (time: string) => {
      setTime(app, time)
      return (await attentionOf(w, order)).includes('UNANSWERED')
    }
    const from = async (hours: number, what: string) => {
      t.equal(await unansweredAt(after(hours)), false, `${what}: not after ${hours} hours`)
      t.equal(await unansweredAt(after(hours, 1)), true, `${what}: but later`)
    }
    if (limit) await from(limit, 'setting')
    else t.equal(await unansweredAt(after(10_000)), false, '0 is never')

    const contract = (answerDays: number | null, more: object = {}, clerk = w.clerk) =>
      clerk.create(`${orders}/contract`, {
        name: 'Answers',
        validityPeriod: { start: [2020, 1, 1], end: [2999, 12, 31] },
        seller: w.seller,
        account: w.account,
        buyer: [w.otherBuyer, w.buyer],
        answerDays,
        ...more
      })
    await contract(5)
    await from(120, 'contract')
    await contract(4)
    await from(96, 'the least')
    await contract(1, { validityPeriod: { start: [2020, 1, 1], end: [2026, 3, 28] } })
    t.equal(await unansweredAt('2026-03-28T22:59:59.999Z'), true, 'until its contract ends in Copenhagen')
    t.equal(await unansweredAt('2026-03-28T23:00:00.000Z'), false)
    await contract(1, { validityPeriod: { start: [2026, 4, 2], end: [2026, 4, 3] } })
    await contract(1, { seller: w.otherSeller })
    await contract(1, { buyer: [w.otherBuyer] }, app.as('AdministrativeClerk', organization('other-region')))
    await contract(null)
    await from(96, 'contracts of others, of other days and without days do not count')

    await w.provider.patch(pathOf(order), moveTo('ACCEPTED'), 204)
    t.equal(await unansweredAt(after(10_000)), false, 'an accepted order is answered')
  }
})

t.test('an order is LATE when the agreed time or the latest day has passed', async (t) => {
  const app = await testApp(t, { ANSWER_DAYS: '0' })
  const w = await world(app)
  const { order, lines } = await w.submitted(2)
  const [line = '', other = ''] = lines
  await app.sql`update orders set latest_delivery_date = '2026-03-29'`
  const at = async (time: string, wanted: string[], what: string) => {
    setTime(app, time)
    t.same(await attentionOf(w, order), wanted, what)
  }
  await at('2026-03-29T21:59:59.999Z', [], 'the day of 23 hours')
  await at('2026-03-29T22:00:00.000Z', ['LATE'], 'has ended in Copenhagen')
  await app.sql`update order_lines set agreed_from = '2026-04-02T08:00:00Z', agreed_to = '2026-04-02T10:00:00Z'
    where id = ${idOf(line)}`
  await at('2026-03-30T12:00:00.000Z', ['LATE'], 'the other line')
  await w.provider.patch(pathOf(other), moveTo('FULFILLED'), 204)
  await at('2026-03-30T12:00:00.000Z', [], 'an agreement goes before the wish')
  await at('2026-04-02T10:00:00.000Z', [], 'until its end')
  await at('2026-04-02T10:00:00.001Z', ['LATE'], 'and no longer')
  await w.provider.patch(pathOf(line), moveTo('UNFULFILLED'), 204)
  await at('2026-04-02T10:00:00.001Z', ['RETURNED'], 'a returned line')
  await w.nurse.patch(pathOf(line), moveTo('CANCELLED'), 204)
  await at('2026-04-02T10:00:00.001Z', [], 'a closed order')
})

t.test('a tag covers what an order waits for', async (t) => {
  const app = await testApp(t)
  const w = await world(app)
  const { order } = await w.submitted()
  await app.sql`update orders set submitted_at = ${start}`
  setTime(app, start)
  const urls = [pathOf(order), `${pathOf(order)}/details`, `${orders}/orders`]
  const tags = new Map<string, string>()
  for (const url of urls) tags.set(url, String((await w.nurse.get(url, 200)).headers.etag))
  const get = (url: string) =>
    w.nurse.send({ method: 'GET', url, headers: { 'if-none-match': tags.get(url) ?? '' } })
  for (const url of urls) t.equal((await get(url)).status, 304)
  setTime(app, after(100))
  for (const url of urls) t.equal((await get(url)).status, 200, 'the time changed the response')
})

t.test('only known codes can be sought', async (t) => {
  const app = await testApp(t)
  const { nurse } = await world(app)
  t.equal(outcome(await nurse.get(`${orders}/orders?attention=EARLY`)), '400 invalid-query /attention')
  t.equal(outcome(await nurse.get(`${orders}/orders?attention=late&attention=RETURNED`)), '200 none')
  t.equal(outcome(await nurse.get(`${orders}/orders?attention=LATE&status=DRAFT`)), '200 none')
})

const codes = ['UNANSWERED', 'LATE', 'RETURNED', 'QUESTION']
const HOUR_MS = 3_600_000

t.test('lists, filters and single reads agree with a model on random orders', async (t) => {
  t.test('of one database', ofOneServer, (t) => compareWithModel(t, false))
  t.test('by the statements for a distributed one', (t) => compareWithModel(t, true))
})

async function compareWithModel(t: Test, isDistributed: boolean): Promise<void> {
  const app = await testApp(t)
  Object.assign(app.app, { isDistributed })
  const w = await world(app)
  let state = seed
  const below = (bound: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * bound)
  }
  const one = <T>(list: readonly T[]): T => list[below(list.length)] as T
  /** Around the change to summer time in Copenhagen. */
  const moment = () => new Date(Date.parse('2026-03-29T00:30:00Z') + (below(240) - 120) * HOUR_MS)
  const day = () => `2026-03-${25 + below(7)}`

  const days = [null, 1, 2, 3] as const
  const contracts = [1, 2, 3].map(() => ({ first: day(), last: day(), answerDays: one(days) }))
  for (const { first, last, answerDays } of contracts)
    await w.clerk.create(`${orders}/contract`, {
      name: 'Random',
      validityPeriod: { start: first < last ? first : last, end: first < last ? last : first },
      seller: w.seller,
      account: w.account,
      buyer: [w.buyer],
      answerDays
    })
  interface Line {
    status: string
    agreed_to: Date | null
  }
  interface Order {
    url: string
    id: string
    status: string
    submitted_at: Date
    awaiting: string | null
    latest_delivery_date: string | null
    lines: Line[]
  }
  const made: Order[] = []
  for (let at = 0; at < 40; at++) {
    const { order, lines } = await w.submitted(1 + below(3))
    const status = one(['SUBMITTED', 'SUBMITTED', 'ACCEPTED', 'ACCEPTED', 'FULFILLED', 'CANCELLED'])
    const row = {
      submitted_at: moment(),
      awaiting: one([null, null, 'BUYER', 'SELLER']),
      latest_delivery_date: one([null, day()])
    }
    await app.sql`update orders set ${app.sql({ ...row, status })} where id = ${idOf(order)}`
    const lineRows: Line[] = []
    for (const line of lines) {
      const agreed_from = one([null, moment()])
      const lineRow = {
        status: one(['SUBMITTED', 'SUBMITTED', 'UNFULFILLED', 'FULFILLED', 'CANCELLED']),
        agreed_from,
        agreed_to: agreed_from && new Date(agreed_from.getTime() + 2 * HOUR_MS),
        deleted_at: one([null, null, null, new Date()])
      }
      await app.sql`update order_lines set ${app.sql(lineRow)} where id = ${idOf(line)}`
      if (lineRow.deleted_at === null) lineRows.push(lineRow)
    }
    await app.sql`update orders set agreed_until = (
      select max(agreed_to) from order_lines where order_id = orders.id and deleted_at is null)
      where id = ${idOf(order)}`
    made.push({ url: order, id: idOf(order), status, ...row, lines: lineRows })
  }

  /** The codes of an order at a time, by the text of the specification. */
  function model(order: Order, now: Date): string[] {
    if (order.status !== 'SUBMITTED' && order.status !== 'ACCEPTED') return []
    // Summer time begins at 01:00 UTC on the 29th.
    const offset = now.getTime() < Date.parse('2026-03-29T01:00:00Z') ? HOUR_MS : 2 * HOUR_MS
    const today = new Date(now.getTime() + offset).toISOString().slice(0, 10)
    const agreed = contracts
      .map(({ first, last, answerDays }) => ({ from: [first, last].sort(), answerDays }))
      .filter(({ from: [first = '', last = ''] }) => first <= today && today <= last)
      .flatMap(({ answerDays }) => answerDays ?? [])
    const hours = 24 * (agreed.length > 0 ? Math.min(...agreed) : 3)
    const holds = [
      order.status === 'SUBMITTED' && now.getTime() - order.submitted_at.getTime() > hours * HOUR_MS,
      order.lines.some(
        ({ status, agreed_to }) =>
          status === 'SUBMITTED' &&
          (agreed_to
            ? agreed_to < now
            : order.latest_delivery_date !== null && order.latest_delivery_date < today)
      ),
      order.lines.some(({ status }) => status === 'UNFULFILLED'),
      order.awaiting !== null
    ]
    return codes.filter((_, at) => holds[at])
  }

  const seen = new Set<string>()
  for (let round = 0; round < 25; round++) {
    const now = moment()
    setTime(app, now.getTime())
    const by = one([w.nurse, w.provider])
    const wanted = new Map(made.map((order) => [order.id, model(order, now)]))
    for (const each of [...wanted.values()].flat()) seen.add(each)
    const listed = (await by.get(`${orders}/orders`, 200)).body
    t.same(
      new Map(listed.map(({ id, attention }: { id: string; attention: string[] }) => [id, attention])),
      wanted,
      now.toISOString()
    )
    const some = one(made)
    t.same((await by.get(pathOf(some.url), 200)).body.attention, wanted.get(some.id))
    const { body } = await by.get(`${pathOf(some.url)}/details`, 200)
    t.same(body.order.attention, wanted.get(some.id))

    const sought = codes.filter(() => below(2) === 0)
    if (sought.length === 0) continue
    const filters = new URLSearchParams({
      attention: sought.join(','),
      ...one([{}, { status: 'SUBMITTED,FULFILLED' }, { priority: 'false' }, { updatedSince: '2020-01-01' }]),
      ...one([{}, { patient: 'https://fhir.example/Patient/p1' }]),
      ...one([{}, { sort: 'priority' }, { sort: '-updated' }, { sort: '-submitted' }]),
      count: 'true'
    })
    const matching = made.filter(
      ({ id, status }) =>
        (status === 'SUBMITTED' || !filters.has('status')) &&
        wanted.get(id)?.some((code) => sought.includes(code))
    )
    const found = await by.get(`${orders}/orders?${filters}`, 200)
    t.same(
      found.body.map(({ id }: { id: string }) => id).sort(),
      matching.map(({ id }) => id).sort(),
      `${filters}`
    )
    t.equal(found.headers['x-total-count'], String(matching.length))
  }
  t.same([...seen].sort(), codes.toSorted(), 'each code occurred')
}
