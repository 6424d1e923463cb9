import t from 'tap'
import { testWorld } from '../fixtures/app.js'
import type { Caller } from '../fixtures/callers.js'
import { copyOrder, setCopiedColumns } from '../fixtures/copies.js'
import { pagesAt } from '../fixtures/order-lists.js'
import { idOf, idsOf } from '../fixtures/routes/addresses.js'
import { cheapReads } from '../fixtures/sent-statements.js'
import { vacuum } from '../fixtures/waiting.js'
import { agreeTime, orders, pathOf, patient, transitionTo } from '../fixtures/world.js'

const list = `${orders}/order-lines`

const { app, w } = await testWorld(t)
const { nurse, provider } = w

/** A line in an order of its own, with the agreed time, if there is one. */
async function line(time?: [from: string, to: string], more: object = {}): Promise<string> {
  const order = await w.createDraft({ orderLines: [{ item: w.monitor, action: 'DELIVER' }], ...more })
  await nurse.patch(pathOf(order), transitionTo('SUBMITTED'), 204)
  const [{ id }] = (await nurse.get(`${list}?order=${order}`, 200)).body
  if (time) await provider.patch(`${orders}/order-line/${id}`, agreeTime(...time), 204)
  return id
}

const linesOf = async (query: object, caller: Caller = provider): Promise<string[]> => {
  const pages = await pagesAt(caller, `${list}?${new URLSearchParams({ ...query })}`)
  return pages.flatMap(({ body }) =>
    (Array.isArray(body) ? body : body.entries).map(({ id }: { id: string }) => id)
  )
}

t.test('lines of a day are those whose agreed time overlaps it, also when the clocks change', async (t) => {
  // Another line of the order has a later time, so that the order is found in any case.
  const { lines } = await w.submitted(2)
  const [id = '', other = ''] = lines.map(idOf)
  const inTheFuture = agreeTime('2999-06-01T08:00:00Z', '2999-06-01T09:00:00Z')
  await provider.patch(`${orders}/order-line/${other}`, inTheFuture, 204)
  const setTime = (from: string, to: string) =>
    provider.patch(`${orders}/order-line/${id}`, agreeTime(from, to), 204)
  const earlier = (moment: string) => new Date(Date.parse(moment) - 1).toISOString()
  const later = (moment: string) => new Date(Date.parse(moment) + 1).toISOString()
  for (const [day, begin, end] of [
    ['2026-06-15', '2026-06-14T22:00:00.000Z', '2026-06-15T22:00:00.000Z'],
    ['2026-03-29', '2026-03-28T23:00:00.000Z', '2026-03-29T22:00:00.000Z'],
    ['2026-10-25', '2026-10-24T22:00:00.000Z', '2026-10-25T23:00:00.000Z']
  ] as const)
    for (const query of [
      { agreedFrom: day, agreedTo: day },
      { agreedFrom: begin, agreedTo: end }
    ])
      for (const [from, to, isIn] of [
        [earlier(begin), begin, false],
        [earlier(begin), later(begin), true],
        [begin, later(begin), true],
        [earlier(begin), later(end), true],
        [earlier(end), end, true],
        [end, later(end), false]
      ] as const) {
        await setTime(from, to)
        for (const sorted of [{}, { sort: 'agreedFrom' }])
          for (const caller of [provider, nurse])
            t.equal(
              (await linesOf({ ...query, ...sorted }, caller)).includes(id),
              isIn,
              `${day} ${from} ${to}`
            )
      }
  for (const each of [id, other])
    await provider.patch(`${orders}/order-line/${each}`, transitionTo('FULFILLED'), 204)
})

t.test('a range may have a single end, and `agreed` finds lines with or without a time', async (t) => {
  const none = await line()
  const past = await line(['2001-01-01T08:00:00Z', '2001-01-01T09:00:00Z'])
  const future = await line(['2999-01-01T08:00:00Z', '2999-01-01T09:00:00Z'])
  const found = async (query: object) => {
    const ids = await linesOf({ ...query, status: 'SUBMITTED' })
    return [none, past, future].map((id) => ids.includes(id))
  }
  t.same(await found({}), [true, true, true])
  t.same(await found({ agreed: true }), [false, true, true])
  t.same(await found({ agreed: false }), [true, false, false])
  t.same(await found({ agreedFrom: '2999-01-01' }), [false, false, true])
  t.same(await found({ agreedTo: '2001-01-01' }), [false, true, false])
  t.same(await found({ agreedTo: '2001-01-01', agreed: false }), [false, false, false])
  t.same(await found({ agreedFrom: '2001-01-01', sort: 'agreedFrom' }), [false, true, true])
  t.same(await found({ agreedTo: '2999-01-02', sort: 'agreedFrom' }), [false, true, true])
  for (const query of [{ patient: patient('p1') }, { item: w.monitor }])
    t.same(await found({ ...query, agreedTo: '2001-01-01' }), [false, true, false])
  for (const caller of [w.otherNurse, w.otherProvider]) t.same(await linesOf({ agreed: true }, caller), [])
})

t.test('the round of a day is sorted by time across orders, in pages', async (t) => {
  const at = (hour: number): [string, string] => [
    `2026-05-04T0${hour}:00:00.000Z`,
    `2026-05-04T0${hour}:30:00.000Z`
  ]
  const made: { id: string; hour: number }[] = []
  for (const hour of [7, 5, 6, 5, 6, 6, 5])
    made.push({
      id: await line(at(hour), { receiver: { name: 'R', patient: patient(`round${hour}`) } }),
      hour
    })
  const other = await line(['2026-05-05T06:00:00Z', '2026-05-05T07:00:00Z'])
  const wanted = made
    .toSorted((one, two) => one.hour - two.hour || (one.id < two.id ? -1 : 1))
    .map(({ id }) => id)
  const day = { agreedFrom: '2026-05-04', agreedTo: '2026-05-04', sort: 'agreedFrom' }
  for (const caller of [provider, nurse])
    for (const limit of [1, 2, 3, 7, 1000])
      t.same(await linesOf({ ...day, limit }, caller), wanted, `${limit}`)
  t.same(await linesOf({ ...day, patient: patient('round6'), limit: 2 }), wanted.slice(3, 6))
  t.same(await linesOf({ ...day, item: w.repair }), [])
  t.same(await linesOf({ ...day, item: w.monitor, status: 'SUBMITTED', action: 'DELIVER' }), wanted)
  t.same((await linesOf({ ...day, agreedTo: '2026-05-05' })).at(-1), other)
  t.same(new Set(await linesOf({ agreedFrom: '2026-05-04', agreedTo: '2026-05-04' })), new Set(wanted))
  t.same(await linesOf(day, w.otherProvider), [])

  const { body, headers } = await provider.get(
    `${list}?${new URLSearchParams({ ...day, expand: 'orders,items', limit: '3' })}`,
    200
  )
  t.same(idsOf(body.entries), wanted.slice(0, 3))
  for (const entry of body.entries)
    t.match(body.expanded, { [entry.order]: { receiver: { name: 'R' } }, [entry.item]: {} })
  t.notMatch(headers.link, /2026-05-04/, 'the cursor is sealed')

  const [first = '', second = ''] = wanted
  await provider.patch(`${orders}/order-line/${first}`, transitionTo('FULFILLED'), 204)
  t.same(await linesOf({ ...day, status: 'SUBMITTED' }), wanted.slice(1))
  await provider.patch(`${orders}/order-line/${second}`, transitionTo('UNFULFILLED'), 204)
  t.same(await linesOf(day), [first, ...wanted.slice(2)])
})

t.test('a sorted list of lines also shows their devices', async (t) => {
  const time: [string, string] = ['2026-07-04T06:00:00Z', '2026-07-04T07:00:00Z']
  const [delivered, open] = [await line(time), await line(time)]
  await provider.patch(`${orders}/order-line/${delivered}`, transitionTo('FULFILLED'), 204)
  const day = { agreedFrom: '2026-07-04', agreedTo: '2026-07-04', sort: 'agreedFrom', limit: 1 }
  t.same(await linesOf(day), [delivered, open])
  const [{ inUse } = { inUse: 0 }] =
    await app.sql`select count(*)::int as "inUse" from devices where line_id = ${delivered}`
  t.same(await linesOf({ ...day, inUse: true }), inUse === 0 ? [] : [delivered])
})

t.test('a round reads only lines of the caller that have a time near the day', async (t) => {
  const { app, w } = await testWorld(t)
  const { order, lines } = await w.submitted()
  await w.provider.patch(
    pathOf(lines[0] ?? ''),
    agreeTime('2026-05-04T06:00:00Z', '2026-05-04T07:00:00Z'),
    204
  )
  // Half of the lines are of other organizations, a quarter have a time long ago, and the rest have
  // no time.
  const ofOthers = (column: string, party: string) =>
    `case when n % 2 = 0 then '${idOf(party)}'::uuid else t.${column} end`
  const timed = (column: string, past: string) =>
    `case n % 4 when 1 then '${past}'::timestamptz when 3 then null else t.${column} end`
  await copyOrder(app, order, 20_000, {
    order: { buyer_id: ofOthers('buyer_id', w.otherBuyer), seller_id: ofOthers('seller_id', w.otherSeller) },
    line: { agreed_from: timed('agreed_from', '2000-12-31'), agreed_to: timed('agreed_to', '2001-01-01') }
  })
  await setCopiedColumns(app)
  await vacuum(app.sql, 'full analyze')
  const isCheap = cheapReads(app, /select order_lines\.\*/, 50)
  for (const query of [
    'agreedFrom=2026-05-04&agreedTo=2026-05-04&sort=agreedFrom',
    'agreedFrom=2026-05-04&sort=agreedFrom',
    'agreedFrom=2026-05-04&agreedTo=2026-05-04',
    'agreedFrom=2026-05-04&agreed=true&status=SUBMITTED'
  ])
    for (const caller of [w.nurse, w.provider]) {
      const count = await isCheap(t, query, async () => {
        const { body } = await caller.get(`${list}?${query}`, 200)
        t.match(body, [{ id: idOf(lines[0] ?? ''), order }], query)
      })
      t.equal(count, 1)
    }
})
