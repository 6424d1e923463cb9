import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { testWorld } from '../fixtures/app.js'
import type { ApiResponse, Caller } from '../fixtures/callers.js'
import { differencesIn } from '../fixtures/copies.js'
import { effort } from '../fixtures/effort.js'
import { ledgerOf, orderFaults } from '../fixtures/events/ledger-checks.js'
import { operate } from '../fixtures/operator.js'
import { idOf } from '../fixtures/routes/addresses.js'
import { outcome } from '../fixtures/routes/refusal.js'
import { runUnderLoad } from '../fixtures/under-load.js'
import { orders, organization, pathOf, transitionTo } from '../fixtures/world.js'

const WRITERS = 16
/** Orders that are created before, and while, a party moves. */
const ORDERS_OF_MOVE = 12
/**
 * The errors that a caller may get when its party has moved, or when its change waits for a move.
 */
const retried = [404, 409, 422, 503]

/** A party, and callers of the two organizations that it moves between. The first one has it. */
interface Side {
  party: string
  organizations: [string, string]
  callers: [Caller, Caller]
  /** The URLs of orders, and of lines, that the party sees. */
  seen: { orders: Set<string>; 'order-lines': Set<string> }
}

t.test('shows each order to its organizations only, while parties move under 16 writers', async (t) => {
  const { app, w } = await testWorld(t, { DATABASE_POOL: '8' })
  const seen = () => ({ orders: new Set<string>(), 'order-lines': new Set<string>() })
  const buyer: Side = {
    party: w.buyer,
    organizations: [organization('region'), organization('other-region')],
    callers: [w.nurse, w.otherNurse],
    seen: seen()
  }
  const seller: Side = {
    party: w.seller,
    organizations: [organization('provider'), organization('other-provider')],
    callers: [w.provider, w.otherProvider],
    seen: seen()
  }
  const statuses = new Map<string, string>()
  const faults: string[] = []
  let reads = 0

  /** Sends a request by the organization that has the party, until it succeeds. */
  async function send(side: Side, request: (by: Caller) => Promise<ApiResponse>): Promise<ApiResponse> {
    for (;;) {
      const response = await request(side.callers[0])
      if (response.status < 300) return response
      if (!retried.includes(response.status)) faults.push(`writer: ${outcome(response)}`)
      if (faults.length > 0) throw new Error(outcome(response))
      await pause(5)
    }
  }

  async function write(): Promise<void> {
    const created = await send(buyer, (by) => by.post(`${orders}/order`, w.draft()))
    const order = created.headers.location ?? ''
    statuses.set(order, 'DRAFT')
    buyer.seen.orders.add(order)
    const line = await send(buyer, (by) =>
      by.post(`${orders}/order-line`, { order, item: w.monitor, action: 'DELIVER' })
    )
    const lineUrl = line.headers.location ?? ''
    buyer.seen['order-lines'].add(lineUrl)
    for (const [side, status] of [
      [buyer, 'SUBMITTED'],
      [seller, 'FULFILLED']
    ] as const) {
      await send(side, (by) => by.patch(pathOf(order), transitionTo(status)))
      statuses.set(order, status)
      seller.seen.orders.add(order)
      seller.seen['order-lines'].add(lineUrl)
    }
  }

  /**
   * Reads as the organization that had the party first, because a move gives the party to the other
   * organization.
   */
  async function read(side: Side, list: keyof Side['seen']): Promise<void> {
    const { callers, seen } = side
    const wanted = [...seen[list]]
    const found = new Set<string>()
    for (const caller of callers) {
      const { body } = await caller.get(`${orders}/${list}?limit=1000`, 200)
      for (const { id } of body) found.add(id)
    }
    // A move back may have begun.
    if (side.callers !== callers) return
    reads++
    const hidden = wanted.filter((url) => !found.has(idOf(url)))
    if (hidden.length > 0) faults.push(`${hidden.length} ${list} out of sight`)
  }

  async function move(side: Side): Promise<void> {
    const [from, to] = side.organizations
    const { code, output } = await operate(app.databaseUrl, [
      ...['organization', 'replace', '--from', from, '--to', to, '--party', side.party, '--confirm']
    ])
    if (code !== 0) faults.push(output)
    side.organizations = [to, from]
    side.callers = [side.callers[1], side.callers[0]]
  }

  const strangers = [
    app.as('MonitoringResponsible', organization('stranger')),
    app.as('Provider', organization('stranger'))
  ]
  const steps = [
    ...Array.from({ length: WRITERS }, () => write),
    ...[buyer, seller].flatMap((side) => [() => read(side, 'orders'), () => read(side, 'order-lines')]),
    ...strangers.map((stranger) => async () => {
      const { body } = await stranger.get(`${orders}/orders`, 200)
      if (body.length > 0) faults.push(`a third organization saw ${body.length} orders`)
    })
  ]
  await runUnderLoad(steps, { faults, count: () => statuses.size }, async (progress) => {
    for (let round = 0; round < 2 * effort && faults.length === 0; round++)
      for (const side of [buyer, seller, buyer, seller]) {
        await progress(ORDERS_OF_MOVE)
        await move(side)
      }
  })

  t.same(faults, [])
  t.ok(reads > 8, `${reads} reads`)
  t.same(await differencesIn(app.sql), [])
  t.same(orderFaults(await ledgerOf(app.sql)), [])
  const stored = await app.sql`select id, status from orders`
  t.same(
    new Map(stored.map(({ id, status }) => [id, status])),
    new Map([...statuses].map(([url, status]) => [idOf(url), status]))
  )
})
