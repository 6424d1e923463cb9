import t from 'tap'
import { testApp, testWorld } from '../fixtures/app.js'
import { setTime } from '../fixtures/clock.js'
import { openBothSellers } from '../fixtures/devices.js'
import { seed } from '../fixtures/effort.js'
import { idOf, idsOf } from '../fixtures/routes/addresses.js'
import { outcome } from '../fixtures/routes/refusal.js'
import {
  add,
  agreeTime,
  orders,
  organization,
  pathOf,
  replace,
  terms,
  transitionTo,
  type World,
  world
} from '../fixtures/world.js'

const start = '2026-03-27T12:00:00.000Z'
const HOUR_MS = 3_600_000

/** The attention codes of an order, which must be the same in all reads. */
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

const contractOf = (w: World, answerDays: number | null, more: object = {}) => ({
  ...terms(w.seller, w.account, w.otherBuyer, w.buyer),
  answerDays,
  ...more
})

t.test('an order is UNANSWERED after the days that were in force at its submission', async (t) => {
  for (const [env, limit] of [
    [{}, 72],
    [{ ANSWER_DAYS: '10' }, 240],
    [{ ANSWER_DAYS: '0' }, undefined]
  ] as const) {
    const { app, w } = await testWorld(t, env)
    const waits = async (order: string, hours: number | undefined, what: string) => {
      const { body } = await w.nurse.get(pathOf(order), 200)
      const at = async (after: number, milliseconds: number) => {
        setTime(app, Date.parse(body.submitted) + after * HOUR_MS + milliseconds)
        return (await attentionOf(w, order)).includes('UNANSWERED')
      }
      t.equal(await at(hours ?? 10_000, 0), false, `${what}: not until ${hours} hours have passed`)
      if (hours) t.equal(await at(hours, 1), true, `${what}: after ${hours} hours`)
    }
    const contract = (...[days, more]: [number | null, object?]) =>
      w.clerk.create(`${orders}/contract`, contractOf(w, days, more))
    const submitAt = async (time: string) => {
      setTime(app, time)
      return (await w.submitted()).order
    }

    const first = await submitAt(start)
    await waits(first, limit, 'setting')
    await contract(5)
    await waits(first, limit, 'a later contract does not move the time')
    await waits(await submitAt(start), 120, 'contract')
    await contract(4)
    await waits(await submitAt(start), 96, 'the least')
    await contract(1, { validityPeriod: { start: [2020, 1, 1], end: [2026, 3, 28] } })
    await waits(await submitAt('2026-03-28T22:59:59.999Z'), 24, 'until its contract ends in Copenhagen')
    await waits(await submitAt('2026-03-28T23:00:00.000Z'), 96, 'after the end of the contract')
    await contract(1, { validityPeriod: { start: [2026, 4, 2], end: [2026, 4, 3] } })
    await contract(1, { seller: w.otherSeller })
    const clerk = app.as('AdministrativeClerk', organization('other-region'))
    await clerk.create(`${orders}/contract`, contractOf(w, 1, { buyer: [w.otherBuyer] }))
    await contract(null)
    const last = await submitAt('2026-03-29T12:00:00.000Z')
    await waits(last, 96, 'contracts of others, of other days and without days do not count')
    await w.provider.patch(pathOf(last), transitionTo('ACCEPTED'), 204)
    await waits(last, undefined, 'an accepted order is answered')
  }
})

t.test('a patch that changes the seller and submits uses the contract of the new seller', async (t) => {
  const { app, w } = await testWorld(t)
  await w.clerk.create(`${orders}/contract`, contractOf(w, 2))
  await w.clerk.create(`${orders}/contract`, contractOf(w, 7, { seller: w.otherSeller }))
  const scale = await openBothSellers(app, w)
  const order = await w.createDraft({ seller: w.otherSeller })
  await w.addLine(order, { item: scale })
  const sellTo = (seller: string) => replace('/seller', seller)
  await w.nurse.patch(pathOf(order), [sellTo(w.seller)], 204)
  await w.nurse.patch(pathOf(order), [sellTo(w.otherSeller), ...transitionTo('SUBMITTED')], 204)
  t.match(await app.sql`select answer_due_at - submitted_at = interval '168 hours' as matches from orders`, [
    { matches: true }
  ])
})

t.test('an order is LATE when the agreed time or the latest day has passed', async (t) => {
  const { app, w } = await testWorld(t, { ANSWER_DAYS: '0' })
  const { order, lines } = await w.submitted(2)
  const [line = '', other = ''] = lines
  await w.nurse.patch(pathOf(order), [add('/latestDeliveryDate', '2026-03-29')], 204)
  const at = async (time: string, wanted: string[], what: string) => {
    setTime(app, time)
    t.same(await attentionOf(w, order), wanted, what)
  }
  await at('2026-03-29T21:59:59.999Z', [], 'the day of 23 hours')
  await at('2026-03-29T22:00:00.000Z', [], 'has ended in Copenhagen')
  await at('2026-03-29T22:00:00.001Z', ['LATE'], 'after the day of 23 hours')
  await w.provider.patch(pathOf(line), agreeTime('2026-04-02T08:00:00Z', '2026-04-02T10:00:00Z'), 204)
  await at('2026-03-30T12:00:00.000Z', ['LATE'], 'the other line')
  await w.provider.patch(pathOf(other), transitionTo('FULFILLED'), 204)
  await at('2026-03-30T12:00:00.000Z', [], 'an agreement goes before the wish')
  await at('2026-04-02T10:00:00.000Z', [], 'until its end')
  await at('2026-04-02T10:00:00.001Z', ['LATE'], 'and no longer')
  await w.provider.patch(pathOf(line), transitionTo('UNFULFILLED'), 204)
  await at('2026-04-02T10:00:00.001Z', ['RETURNED'], 'a returned line')
  await w.nurse.patch(pathOf(line), transitionTo('CANCELLED'), 204)
  await at('2026-04-02T10:00:00.001Z', [], 'a closed order')
  const [row] = await app.sql`select answer_due_at, delivery_due_at, closed_at, has_returned_line
    from orders join order_lines on order_id = orders.id where order_lines.id = ${idOf(line)}`
  t.match(row, { answer_due_at: null, delivery_due_at: null, closed_at: Date, has_returned_line: false })
})

t.test('a tag depends on the attention codes of an order', async (t) => {
  const { app, w } = await testWorld(t)
  const { order } = await w.submitted()
  setTime(app, Date.now())
  const urls = [pathOf(order), `${pathOf(order)}/details`, `${orders}/orders`]
  const tags = new Map<string, string>()
  for (const url of urls) tags.set(url, String((await w.nurse.get(url, 200)).headers.etag))
  const get = (url: string) => w.nurse.get(url, undefined, { 'if-none-match': tags.get(url) ?? '' })
  for (const url of urls) t.equal((await get(url)).status, 304)
  setTime(app, Date.now() + 100 * HOUR_MS)
  for (const url of urls) t.equal((await get(url)).status, 200, 'the time changed the response')
})

t.test('the list of orders finds orders that await the answer of one side', async (t) => {
  const { w } = await testWorld(t)
  const asked: Record<string, string> = {}
  for (const [by, side] of [
    [w.nurse, 'SELLER'],
    [w.provider, 'BUYER']
  ] as const) {
    const { order } = await w.submitted()
    const note = add('/notes/-', { note: 'When?' })
    await by.patch(pathOf(order), [note, add('/awaiting', side)], 204)
    asked[side] = idOf(order)
  }
  const awaiting = async (query: string) =>
    idsOf((await w.nurse.get(`${orders}/orders?awaiting=${query}`, 200)).body)
  t.same(await awaiting('SELLER'), [asked.SELLER])
  t.same(await awaiting('BUYER&sort=due&count=true'), [asked.BUYER])
  t.same(await awaiting('BUYER&status=FULFILLED,DRAFT'), [])
})

t.test('a filter accepts several codes', async (t) => {
  const app = await testApp(t)
  const { nurse } = await world(app)
  t.equal(outcome(await nurse.get(`${orders}/orders?attention=late&attention=RETURNED`)), '200 none')
  t.equal(outcome(await nurse.get(`${orders}/orders?attention=LATE&status=DRAFT`)), '200 none')
})

const codes = ['UNANSWERED', 'LATE', 'RETURNED', 'QUESTION']

t.test('lists, filters and single reads of random orders match a model', async (t) => {
  const { app, w } = await testWorld(t)
  let state = seed
  const below = (bound: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * bound)
  }
  const one = <T>(list: readonly T[]): T => list[below(list.length)] as T
  /** Around the change to summer time in Copenhagen. */
  const moment = () => new Date(Date.parse('2026-03-29T00:30:00Z') + (below(240) - 120) * HOUR_MS)
  const day = () => `2026-03-${25 + below(7)}`
  /** The day in Copenhagen. Summer time begins at 01:00 UTC on the 29th. */
  const dayOf = (time: Date) => {
    const offset = time.getTime() < Date.parse('2026-03-29T01:00:00Z') ? HOUR_MS : 2 * HOUR_MS
    return new Date(time.getTime() + offset).toISOString().slice(0, 10)
  }

  const days = [null, 1, 2, 3] as const
  const contracts = [1, 2, 3].map(() => ({ first: day(), last: day(), answerDays: one(days) }))
  for (const { first, last, answerDays } of contracts)
    await w.clerk.create(`${orders}/contract`, {
      ...terms(w.seller, w.account, w.buyer),
      validityPeriod: { start: first < last ? first : last, end: first < last ? last : first },
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
  const send = async (by: typeof w.nurse, url: string, patch: object[]) => {
    const { status } = await by.patch(pathOf(url), patch)
    if (![204, 409, 422].includes(status)) t.fail(`${status}`)
  }
  for (let at = 0; at < 40; at++) {
    const submitted = moment()
    setTime(app, submitted.getTime())
    const latestDeliveryDate = one([null, day()])
    const url = await w.createDraft({ latestDeliveryDate })
    const id = idOf(url)
    const lines: string[] = []
    for (let count = 1 + below(3); count > 0; count--) lines.push(await w.addLine(url))
    const removed = await w.addLine(url)
    if (below(2) === 0) await w.nurse.delete(pathOf(removed))
    else lines.push(removed)
    await w.nurse.patch(pathOf(url), transitionTo('SUBMITTED'), 204)
    // The order is submitted at another time, with the days that are agreed.
    await app.sql`update orders set submitted_at = ${submitted},
      answer_due_at = answer_due_at + (${submitted}::timestamptz - submitted_at) where id = ${id}`
    for (const line of lines) {
      const from = moment()
      const to = new Date(from.getTime() + 2 * HOUR_MS)
      if (below(2) === 0) await send(w.provider, line, agreeTime(from.toISOString(), to.toISOString()))
      const status = one(['SUBMITTED', 'SUBMITTED', 'UNFULFILLED', 'FULFILLED', 'CANCELLED'])
      if (status !== 'SUBMITTED')
        await send(status === 'CANCELLED' ? w.nurse : w.provider, line, transitionTo(status))
    }
    const note = add('/notes/-', { note: 'n' })
    const awaiting = one([null, null, 'BUYER', 'SELLER'])
    if (awaiting)
      await send(awaiting === 'BUYER' ? w.provider : w.nurse, url, [note, add('/awaiting', awaiting)])
    const status = one(['SUBMITTED', 'SUBMITTED', 'ACCEPTED', 'ACCEPTED', 'FULFILLED', 'CANCELLED'])
    if (status !== 'SUBMITTED')
      await send(status === 'CANCELLED' ? w.nurse : w.provider, url, transitionTo(status))
    if (status !== 'FULFILLED' && below(2) === 0)
      await send(w.nurse, url, [add('/latestDeliveryDate', day())])
    const [row] = await app.sql<Order[]>`
      select status, submitted_at, awaiting, latest_delivery_date::text, (
        select coalesce(json_agg(json_build_object('status', l.status, 'agreed_to', l.agreed_to)), '[]')
        from order_lines l where l.order_id = orders.id and l.deleted_at is null) as lines
      from orders where id = ${id}`
    if (!row) throw new Error('The order exists.')
    const read = row.lines.map((line) => ({ ...line, agreed_to: line.agreed_to && new Date(line.agreed_to) }))
    made.push({ ...row, url, id, lines: read })
  }

  /** The codes of an order at a time, according to docs/domain.md. */
  function model(order: Order, now: Date): string[] {
    if (order.status !== 'SUBMITTED' && order.status !== 'ACCEPTED') return []
    const submission = dayOf(order.submitted_at)
    const agreed = contracts
      .map(({ first, last, answerDays }) => ({ from: [first, last].sort(), answerDays }))
      .filter(({ from: [first = '', last = ''] }) => first <= submission && submission <= last)
      .flatMap(({ answerDays }) => answerDays ?? [])
    const hours = 24 * (agreed.length > 0 ? Math.min(...agreed) : 3)
    // The day ends with its last millisecond, and the order is late after that day.
    const today = dayOf(new Date(now.getTime() - 1))
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
    t.same(idsOf(found.body).sort(), matching.map(({ id }) => id).sort(), `${filters}`)
    t.equal(found.headers['x-total-count'], String(matching.length))
  }
  t.same([...seen].sort(), codes.toSorted(), 'each code occurred')
})
