import t from 'tap'
import type { OrderStatistics } from '../../src/order/statistics/statistics.schemas.js'
import { testApp } from '../fixtures/app.js'
import type { Caller } from '../fixtures/callers.js'
import { idOf } from '../fixtures/routes/addresses.js'
import { type Random, runWorlds } from '../fixtures/scope/worlds.js'
import { type CountedLine, type CountedOrder, writeOrders } from '../fixtures/statistics.js'
import { orders, organization, patient, world } from '../fixtures/world.js'

/*
 * Random orders, and all figures compared with a model that counts them one by one. The rows of a
 * clerk are compared with groups of the model. No combination of responses may separate fewer than
 * 5 patients.
 */

const WORLDS = 3
const QUERIES = 30
const FEW = 5
const [HOUR, DAY] = [3_600_000, 86_400_000]

const keys = ['month', 'buyer', 'seller', 'item', 'action'] as const
const dividing = ['month', 'buyer', 'seller', 'action', 'item'] as const
type Key = (typeof keys)[number]

/** A line with its order, and the values of its keys. */
interface Counted {
  order: CountedOrder
  line: CountedLine
  of: Readonly<Record<Key, string>>
}

interface Query {
  from: string
  to: string
  groupBy: Key[]
  filters: Partial<Record<'buyer' | 'seller' | 'item', string>>
}

const days = new Intl.DateTimeFormat('sv', { timeZone: 'Europe/Copenhagen' })
const dayOf = (time: number) => days.format(new Date(time))
function groupsOf<T>(all: Iterable<T>, nameOf: (each: T) => string): { name: string; inside: T[] }[] {
  const groups = new Map<string, T[]>()
  for (const each of all) groups.set(nameOf(each), [...(groups.get(nameOf(each)) ?? []), each])
  return [...groups].map(([name, inside]) => ({ name, inside }))
}
const patientsOf = (lines: readonly Counted[]) => new Set(lines.map(({ order }) => order.patient)).size

function median(values: readonly number[]): number | null {
  const sorted = [...values].sort((one, other) => one - other)
  const [low, high] = [
    sorted[Math.floor((sorted.length - 1) / 2)],
    sorted[Math.ceil((sorted.length - 1) / 2)]
  ]
  return low === undefined || high === undefined ? null : Math.round((low + high) * 5) / 10
}

/** The figures of lines, counted one by one. */
function figuresOf(lines: readonly Counted[], to: string): Partial<OrderStatistics> {
  const all = [...new Set(lines.map(({ order }) => order))]
  const count = (test: (order: CountedOrder) => boolean) => all.filter(test).length
  const isLate = ({ status, deliveryDue }: CountedOrder) =>
    ['SUBMITTED', 'ACCEPTED'].includes(status) && deliveryDue !== null && deliveryDue < Date.now()
  return {
    orders: all.length,
    lines: lines.length,
    fulfilled: count(({ status }) => status === 'FULFILLED'),
    cancelled: count(({ status }) => status === 'CANCELLED'),
    rejected: count(({ status }) => status === 'REJECTED'),
    returned: count(({ wasReturned }) => wasReturned),
    late: count((order) => order.wasLate || isLate(order)),
    answerHoursMedian: median(
      all.flatMap(({ answered, submitted }) => (answered === null ? [] : [(answered - submitted) / HOUR]))
    ),
    deliveryDaysMedian: median(
      lines.flatMap(({ order, line }) => {
        const time = line.performed ?? line.closed
        return line.status === 'FULFILLED' && time !== null ? [(time - order.submitted) / DAY] : []
      })
    ),
    devicesInUse: lines.filter(
      ({ line: { device } }) =>
        device && dayOf(device.from) <= to && (device.until === null || dayOf(device.until) > to)
    ).length
  }
}

/** Parts of at least 5 patients, and the parts that join smaller ones. */
function partsOf(lines: readonly Counted[], by: readonly Key[]): { lines: Counted[]; isJoined: boolean }[] {
  const [key, ...others] = by
  if (!key) return [{ lines: [...lines], isJoined: false }]
  const sized = groupsOf(lines, ({ of }) => of[key])
    .map((group) => ({ ...group, patients: patientsOf(group.inside) }))
    .sort((a, b) => a.patients - b.patients || (a.name < b.name ? -1 : 1))
  const joined: Counted[] = []
  while (sized[0] && (sized[0].patients < FEW || (joined.length > 0 && patientsOf(joined) < FEW)))
    joined.push(...(sized.shift()?.inside ?? []))
  const inside = sized.flatMap((group) => partsOf(group.inside, others))
  return joined.length > 0 ? [{ lines: joined, isJoined: true }, ...inside] : inside
}

/** The rows of a response, each with its lines. */
function rowsOf(visible: readonly Counted[], query: Query, isClerk: boolean) {
  const { from, to, filters } = query
  const by = keys.filter((key) => query.groupBy.includes(key) || key in filters)
  const inPeriod = visible.filter(
    ({ order }) => dayOf(order.submitted) >= from && dayOf(order.submitted) <= to
  )
  const last = dividing.findLastIndex((key) => by.includes(key))
  const parts = isClerk
    ? groupsOf(inPeriod, ({ of }) => of.month)
        .filter(({ inside }) => patientsOf(inside) >= FEW)
        .flatMap(({ inside }) => partsOf(inside, dividing.slice(1, last + 1)))
    : [{ lines: inPeriod, isJoined: false }]
  const shown = parts
    .flatMap(({ lines, isJoined }) => (isJoined ? [] : lines))
    .filter(({ of }) => Object.entries(filters).every(([name, id]) => of[name as Key] === id))
  const joined =
    Object.keys(filters).length > 0 ? [] : parts.flatMap((part) => (part.isJoined ? part.lines : []))
  const rows = groupsOf(shown, ({ of }) => by.map((key) => of[key]).join(' '))
    .sort((one, other) => (one.name < other.name ? -1 : 1))
    .map(({ inside }) => ({ inside, values: by.map((key) => [key, inside[0]?.of[key] ?? null] as const) }))
  const other = { inside: joined, values: by.map((key) => [key, null] as const) }
  return joined.length > 0 ? [...rows, other] : rows
}

const fixture = await testApp(t)
const w = await world(fixture)
const parties = { buyer: [w.buyer, w.otherBuyer].map(idOf), seller: [w.seller, w.otherSeller].map(idOf) }
const items = [w.monitor, w.repair].map(idOf)
const urls = new Map(
  [w.buyer, w.otherBuyer, w.seller, w.otherSeller, w.monitor, w.repair].map((url) => [idOf(url), url])
)
const actions = ['DELIVER', 'PICKUP', 'REPAIR']
const months = ['2025-01', '2025-02', '2025-03']

function randomOrder(random: Random): CountedOrder {
  // The first and the last day of a month by local time, in UTC perhaps of another month.
  const start = Date.UTC(2025, random.below(3), 1) - HOUR
  const submitted = start + random.one([0, 30 * DAY, random.below(28) * DAY])
  const answered = random.one([null, submitted + (1 + random.below(60)) * HOUR])
  const status = random.one(['SUBMITTED', 'ACCEPTED', 'REJECTED', 'FULFILLED', 'FULFILLED', 'CANCELLED'])
  return {
    ...{ buyer: random.one(parties.buyer), seller: random.one([...parties.seller, parties.seller[0] ?? '']) },
    ...{ patient: patient(`s${random.below(20)}`), status, submitted, answered },
    deliveryDue: random.one([null, submitted, Date.UTC(2999, 0)]),
    ...{ wasLate: random.chance(0.1), wasReturned: random.chance(0.1) },
    lines: Array.from({ length: 1 + random.below(3) }, () => {
      const closed = submitted + (1 + random.below(40)) * 0.5 * DAY
      const isDone = random.chance(0.6)
      return {
        ...{ item: random.one(items), action: random.one(actions), isDeleted: random.chance(0.1) },
        ...{ status: isDone ? 'FULFILLED' : random.one(['SUBMITTED', 'UNFULFILLED', 'CANCELLED']) },
        ...{
          closed: isDone ? closed : null,
          performed: isDone && random.chance(0.3) ? closed - 0.5 * DAY : null
        },
        device: isDone ? { from: closed, until: random.one([null, closed + random.below(60) * DAY]) } : null
      }
    })
  }
}

function randomQuery(random: Random): Query {
  const [from, to] = [random.below(3), random.below(3)].sort()
  const name = random.one(['buyer', 'seller', 'item', undefined, undefined] as const)
  const id = name && random.one(name === 'item' ? items : parties[name])
  const others = random
    .some(
      keys.filter((key) => key !== name),
      0.6
    )
    .slice(0, name ? 2 : 3)
  return {
    from: `${months[from ?? 0]}-01`,
    to: dayOf(Date.UTC(2025, (to ?? 0) + 1, 0)),
    groupBy: others.length > 0 ? others : [name ?? 'month'],
    filters: name && id ? { [name]: id } : {}
  }
}

const callers: readonly [name: string, caller: Caller, sees: (order: CountedOrder) => boolean][] = [
  ['nurse', w.nurse, () => true],
  ['other nurse', w.otherNurse, ({ buyer }) => buyer === parties.buyer[1]],
  ['provider', w.provider, ({ seller }) => seller === parties.seller[0]],
  ['other provider', w.otherProvider, ({ seller }) => seller === parties.seller[1]],
  ['clerk', w.clerk, () => true],
  [
    'other clerk',
    fixture.as('AdministrativeClerk', organization('other-region')),
    ({ buyer }) => buyer === parties.buyer[1]
  ]
]
const outcomes = callers.flatMap(([name]) =>
  ['rows', 'filtered', ...(name.endsWith('clerk') ? ['none', 'joined', 'separated'] : [])].map(
    (each) => `${name}: ${each}`
  )
)

t.test('all figures equal a model, and separate no group of few patients for a clerk', async (t) => {
  await runWorlds(t, WORLDS, outcomes, async (random, saw) => {
    await fixture.sql.begin(async (tx) => {
      await tx`set local session_replication_role = replica`
      for (const table of ['devices', 'order_lines', 'orders']) await tx.unsafe(`delete from ${table}`)
    })
    // The region administers the other buyer.
    await fixture.sql`update parties set registered_by = ${organization('region')} where id = ${parties.buyer[1] ?? ''}`
    const made = Array.from({ length: 20 + random.below(160) }, () => randomOrder(random))
    await writeOrders(fixture, made)
    const lines = made.flatMap((order) =>
      order.lines
        .filter(({ isDeleted }) => !isDeleted)
        .map((line): Counted => {
          const month = dayOf(order.submitted).slice(0, 7)
          return { order, line, of: { ...{ month, buyer: order.buyer, seller: order.seller }, ...line } }
        })
    )
    const answers = new Map<string, string[]>()
    for (let at = 0; at < QUERIES; at++) {
      const query = randomQuery(random)
      for (const [name, caller, sees] of callers) {
        const isClerk = name.endsWith('clerk')
        const rows = rowsOf(
          lines.filter(({ order }) => sees(order)),
          query,
          isClerk
        )
        const expected = rows.map(({ inside, values }) => ({
          ...Object.fromEntries(values.map(([key, value]) => [key, urls.get(value ?? '') ?? value])),
          ...figuresOf(inside, query.to)
        }))
        const parameters = [
          ...[['from', query.from], ['to', query.to], ...query.groupBy.map((key) => ['groupBy', key])],
          ...Object.entries(query.filters).map(([key, id]) => [key, urls.get(id) ?? ''])
        ]
        const { body } = await caller.get(
          `${orders}/order-statistics?${new URLSearchParams(parameters as [string, string][])}`,
          200
        )
        if (!t.same(body, expected, `${name}: ${parameters.join(' ')}`)) throw new Error('other figures')
        saw(
          `${name}: ${rows.length === 0 ? 'none' : Object.keys(query.filters).length > 0 ? 'filtered' : 'rows'}`
        )
        if (!isClerk) continue
        for (const [row, { inside, values }] of rows.entries()) {
          if (values[0]?.[1] === null) saw(`${name}: joined`)
          for (const each of inside) {
            const place = `${name}:${lines.indexOf(each)}`
            answers.set(place, [...(answers.get(place) ?? []), `${at}.${row}`])
          }
        }
      }
    }
    // No combination of rows distinguishes lines that are in the same rows.
    for (const { name, inside } of groupsOf(answers, ([place, rows]) => `${place.split(':')[0]}: ${rows}`)) {
      const patients = new Set(inside.map(([place]) => lines[Number(place.split(':')[1])]?.order.patient))
      if (patients.size < FEW) throw new Error(`${name} are about ${patients.size} patients`)
      saw(`${name.split(':')[0]}: separated`)
    }
  })
})
