import t from 'tap'
import { type TestApp, testApp } from '../fixtures/app.js'
import type { ApiResponse, Caller } from '../fixtures/callers.js'
import { differencesIn } from '../fixtures/copies.js'
import { openBothSellers } from '../fixtures/devices.js'
import { ledgerOf, orderFaults } from '../fixtures/events/ledger-checks.js'
import { operate } from '../fixtures/operator.js'
import { idOf } from '../fixtures/routes/addresses.js'
import { subscription } from '../fixtures/routes/bodies.js'
import { outcome } from '../fixtures/routes/refusal.js'
import { type Random, seededRandom } from '../fixtures/scope/worlds.js'
import { runUnderLoad } from '../fixtures/under-load.js'
import { countWaiting, until } from '../fixtures/waiting.js'
import {
  catalogue,
  orders,
  organization,
  pathOf,
  patient,
  transitionTo,
  type World,
  world
} from '../fixtures/world.js'

/** An order that a writer has created. */
interface Written {
  url: string
  seller: string
  isSubmitted: boolean
}

/** The results of writers and readers during a merger. */
interface Merging {
  written: Written[]
  /** Unexpected responses to a writer or a reader. */
  faults: string[]
  /** From now on the server may reject the former organization. */
  isReplacing: boolean
}

const WRITERS = 16

/**
 * Runs 16 writers of `region` and `other-region`, and a reader of each side and of a stranger,
 * while `merge` runs. The writers of `region` continue with tokens of `other-region` when they are
 * rejected.
 */
async function underMerger(
  app: TestApp,
  w: World,
  merge: (merging: Merging, progress: (more: number) => Promise<void>) => Promise<void>
): Promise<Merging> {
  const scale = await openBothSellers(app, w)
  const merging: Merging = { written: [], faults: [], isReplacing: false }
  const random = seededRandom()
  const writers = Array.from({ length: WRITERS }, (_, at) => {
    const writer = new Writer(w, merging, random, at % 2 === 0)
    return () => writer.write(scale)
  })
  const readers = readersOf(app, w).map(({ caller, isForeign }) => async () => {
    const { status, body } = await caller.get(`${orders}/orders?limit=1000`)
    const foreign = status === 200 ? body.filter(isForeign).length : 0
    if (foreign > 0) merging.faults.push(`${foreign} foreign orders were seen`)
    if (status !== 200 && !(merging.isReplacing && status === 403)) merging.faults.push(`reader: ${status}`)
  })
  const { faults, written } = merging
  await runUnderLoad([...writers, ...readers], { faults, count: () => written.length }, (progress) =>
    merge(merging, progress)
  )
  return merging
}

/** Callers, and the orders that they may never see. */
function readersOf({ as }: TestApp, w: World) {
  type Order = { buyer: string; seller: string; submitted: string | null }
  const ofSeller = (own: string) => (order: Order) => order.seller !== own || order.submitted === null
  return [
    { caller: w.nurse, isForeign: ({ buyer }: Order) => buyer !== w.buyer },
    { caller: w.otherNurse, isForeign: ({ buyer }: Order) => ![w.buyer, w.otherBuyer].includes(buyer) },
    { caller: w.provider, isForeign: ofSeller(w.seller) },
    { caller: w.otherProvider, isForeign: ofSeller(w.otherSeller) },
    { caller: as('MonitoringResponsible', organization('stranger')), isForeign: () => true }
  ]
}

class Writer {
  #nurse: Caller
  readonly #buyer: string
  /** Whether its token is of the organization that is replaced. */
  #isFormer: boolean

  constructor(
    private readonly w: World,
    private readonly merging: Merging,
    private readonly random: Random,
    isFormer: boolean
  ) {
    this.#isFormer = isFormer
    this.#nurse = isFormer ? w.nurse : w.otherNurse
    this.#buyer = isFormer ? w.buyer : w.otherBuyer
  }

  /** Writes an order or a black list entry, and takes it a random number of steps further. */
  async write(scale: string): Promise<void> {
    const { w, random } = this
    if (random.chance(0.2)) {
      const entry = { patient: patient(`black-${random.below(8)}`), item: w.repair }
      await this.#send((nurse) => nurse.post(`${catalogue}/black-list`, entry))
      return
    }
    const isOther = random.chance(0.4)
    const [seller, item] = isOther ? [w.otherSeller, scale] : [w.seller, w.monitor]
    const created = await this.#send((nurse) =>
      nurse.post(`${orders}/order`, w.draft({ buyer: this.#buyer, seller }))
    )
    if (!created) return
    const order = { url: created.headers.location ?? '', seller, isSubmitted: false }
    this.merging.written.push(order)
    const path = pathOf(order.url)
    const line = { order: order.url, item, action: 'DELIVER' }
    if (!(await this.#send((nurse) => nurse.post(`${orders}/order-line`, line)))) return
    if (random.chance(0.3)) return
    const submitted = await this.#send((nurse) => nurse.patch(path, transitionTo('SUBMITTED')))
    if (!submitted) return
    order.isSubmitted = true
    if (random.chance(0.5)) return
    const provider = isOther ? w.otherProvider : w.provider
    const { status } = await provider.patch(
      path,
      transitionTo(random.one(['ACCEPTED', 'FULFILLED', 'REJECTED']))
    )
    if (status !== 204) this.merging.faults.push(`provider: ${status}`)
  }

  /** Repeats a request with a new token when the organization was replaced. Undefined if rejected. */
  async #send(request: (nurse: Caller) => Promise<ApiResponse>): Promise<ApiResponse | undefined> {
    const response = await request(this.#nurse)
    if (response.status < 300) return response
    if (response.body?.code === 'duplicate-entry') return undefined
    if (!this.#isFormer || !this.merging.isReplacing) {
      this.merging.faults.push(`writer: ${outcome(response)}`)
      return undefined
    }
    // Until this instance reads the replacement, the former organization finds none of its
    // resources.
    if (response.body?.code !== 'organization-replaced') return undefined
    this.#isFormer = false
    this.#nurse = this.w.otherNurse
    return this.#send(request)
  }
}

const [from, to] = [organization('region'), organization('other-region')]
const command = ['organization', 'replace', '--from', from, '--to', to, '--confirm']

t.test('a merger waits for an entry that becomes a duplicate', async (t) => {
  const { sql, databaseUrl, ...app } = await testApp(t)
  const w = await world(app)
  await w.nurse.create(`${catalogue}/black-list`, { patient: patient('both'), item: w.repair })
  let ended: Promise<unknown> = Promise.resolve()
  await sql.begin(async (tx) => {
    await tx`insert into black_list_entries (id, patient, item_id, organization, created_at)
      select gen_random_uuid(), patient, item_id, ${to}, now() from black_list_entries`
    ended = operate(databaseUrl, command)
    await until(async () => (await countWaiting(sql)) > 0)
  })
  t.match(await ended, { code: 0, output: /0 black list entries \(1 doubles joined\)/ })
  t.same(await sql`select organization from black_list_entries`, [{ organization: to }])
})

t.test('a merger under load', async (t) => {
  const app = await testApp(t, { DATABASE_POOL: '6' })
  const { sql, databaseUrl, as } = app
  const w = await world(app)
  const stranger = as('MonitoringResponsible', organization('stranger'))
  await w.nurse.create(`${orders}/subscription`, subscription)
  const own = await w.otherNurse.create(`${orders}/subscription`, subscription)
  const both = { patient: patient('both'), item: w.repair }
  for (const nurse of [w.nurse, w.otherNurse]) await nurse.create(`${catalogue}/black-list`, both)

  const { written, faults } = await underMerger(app, w, async (merging, progress) => {
    await progress(16)
    merging.isReplacing = true
    const { code, output } = await operate(databaseUrl, command)
    t.equal(code, 0, output)
    t.match(
      output,
      /^Moved 1 party, 3 registrations of parties, \d+ black list entr.* 1 subscription, 0 imports\.\n$/
    )
    await progress(4)
    await app.app.replacedOrganizations.refresh()
    await progress(16)
  })
  t.same(faults, [])
  t.same(await differencesIn(sql), [])
  // The rows that the former organization wrote before its tokens were rejected.
  t.match(await operate(databaseUrl, command), { code: 0, output: /^Moved 0 parties, 0 registrations/ })
  const none =
    'Moved 0 parties, 0 registrations of parties, 0 black list entries (0 doubles joined), 0 subscriptions, 0 imports.\n'
  t.same(await operate(databaseUrl, command), { code: 0, output: none }, 'run again, it changes nothing')

  const seenBy = async (caller: Caller) => {
    const seen = new Set<string>()
    for (const { url } of written) {
      const { status } = await caller.get(pathOf(url))
      if (status === 200) seen.add(url)
      else if (status !== 404) t.fail(`${url} answered ${status}`)
    }
    return seen
  }
  const urls = (of: typeof written) => new Set(of.map(({ url }) => url))
  const soldBy = (seller: string) =>
    urls(written.filter((each) => each.isSubmitted && each.seller === seller))
  t.ok(written.length >= 36, `${written.length} orders`)
  t.equal((await sql`select from orders`).length, written.length)
  t.same(await seenBy(w.otherNurse), urls(written), 'the buyer sees all orders')
  t.same(await seenBy(w.provider), soldBy(w.seller), 'a seller sees those that were submitted to it')
  t.same(await seenBy(w.otherProvider), soldBy(w.otherSeller))
  t.same(await seenBy(stranger), new Set(), 'a third organization sees none')
  t.equal(outcome(await w.nurse.get(pathOf(written[0]?.url ?? ''))), '403 organization-replaced')

  const entries = await sql`select patient, item_id, count(*)::int from black_list_entries group by 1, 2`
  t.ok(entries.length > 1)
  t.ok(
    entries.every(({ count }) => count === 1),
    'each entry is there once'
  )
  t.same(await sql`select distinct organization from black_list_entries`, [{ organization: to }])
  const { body: subscriptions } = await w.otherNurse.get(`${orders}/subscriptions`, 200)
  const paused = subscriptions.filter(({ id }: { id: string }) => id !== idOf(own))
  t.match(paused, [{ status: 'PAUSED', statusReason: 'ORGANIZATION_REPLACED', organization: to }])
  const ledger = await ledgerOf(sql)
  t.same(orderFaults(ledger), [])
  const moved = ledger.filter(({ type, change }) => type === 'party.changed' && change === 'changed')
  t.same(
    moved.map((row) => row.subject_id),
    [idOf(w.buyer)]
  )
})
