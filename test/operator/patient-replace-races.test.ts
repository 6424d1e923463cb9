import t from 'tap'
import { testApp } from '../fixtures/app.js'
import type { ApiResponse, Caller } from '../fixtures/callers.js'
import { differencesIn } from '../fixtures/copies.js'
import { ledgerOf, orderFaults } from '../fixtures/events/ledger-checks.js'
import { operate } from '../fixtures/operator.js'
import { idOf, idsOf } from '../fixtures/routes/addresses.js'
import { outcome } from '../fixtures/routes/refusal.js'
import { type Random, seededRandom } from '../fixtures/scope/worlds.js'
import { runUnderLoad } from '../fixtures/under-load.js'
import { countWaiting, until } from '../fixtures/waiting.js'
import {
  catalogue,
  deviceModel,
  orders,
  pathOf,
  patient,
  replace,
  transitionTo,
  type World,
  withQuery,
  world
} from '../fixtures/world.js'

const [a, b, c] = ['a', 'b', 'c'].map(patient) as [string, string, string]
const both = [a, b]
const WRITERS = 8
/** Orders that get one of the references in each phase. */
const ORDERS_OF_PHASE = 12

const listed = async (caller: Caller, path: string, of: string): Promise<string[]> => {
  const { body } = await caller.get(withQuery(path, { patient: of, limit: '1000' }), 200)
  return idsOf(body)
}

t.test('a replacement waits for a write with the former reference', async (t) => {
  const { sql, databaseUrl, ...app } = await testApp(t)
  const w = await world(app)
  const order = await w.createDraft({ receiver: { name: 'R', patient: c } })
  let ended: Promise<unknown> = Promise.resolve()
  await sql.begin(async (tx) => {
    await tx`update orders set patient = ${a} where id = ${idOf(order)}`
    ended = operate(databaseUrl, ['patient', 'replace', '--from', a, '--to', b, '--confirm'])
    await Promise.race([ended, until(async () => (await countWaiting(sql)) > 0)])
  })
  t.match(await ended, { code: 0, output: /^Moved 1 order / })
  t.same(await sql`select patient from orders`, [{ patient: b }])
})

t.test('a replacement cancels no write that has locked an order of the patient', async (t) => {
  const { sql, databaseUrl, ...app } = await testApp(t)
  const w = await world(app)
  const draftOf = async (of: string) => idOf(await w.createDraft({ receiver: { name: 'R', patient: of } }))
  const [first, second] = [await draftOf(a), await draftOf(c)]
  let ended: Promise<unknown> = Promise.resolve()
  await sql.begin(async (tx) => {
    await tx`update orders set name = 'n' where id = ${first}`
    ended = operate(databaseUrl, ['patient', 'replace', '--from', a, '--to', b, '--confirm'])
    await Promise.race([ended, until(async () => (await countWaiting(sql)) > 0)])
    await tx`update orders set patient = ${a} where id = ${second}`
  })
  t.match(await ended, { code: 0, output: /^Moved 2 orders / })
})

/** The results of writers and readers during replacements. */
interface Writing {
  /** Ids of the orders that have got one of the two references. */
  orders: Set<string>
  /** Unexpected responses to a writer or a reader. */
  faults: string[]
  /** Counts the replacements. Odd while the first reference is replaced, undefined in between. */
  phase: number | undefined
}

/** Writes with a random one of the two references. */
class Writer {
  constructor(
    private readonly w: World,
    private readonly writing: Writing,
    private readonly random: Random,
    private readonly items: readonly string[]
  ) {}

  async write(): Promise<void> {
    const { w, random, writing } = this
    if (random.chance(0.4)) return this.#changeBlackList()
    const isDraftOfOther = random.chance(0.3)
    const of = random.one(both)
    const receiver = { name: 'R', patient: isDraftOfOther ? c : of }
    const line = { item: w.monitor, action: 'DELIVER' }
    const created = await this.#send(
      w.nurse.post(`${orders}/order`, w.draft({ receiver, orderLines: [line] }))
    )
    const url = created?.headers.location ?? ''
    if (isDraftOfOther) await this.#send(w.nurse.patch(pathOf(url), [replace('/receiver/patient', of)]))
    writing.orders.add(idOf(url))
    if (random.chance(0.3)) return
    await this.#send(w.nurse.patch(pathOf(url), transitionTo('SUBMITTED')))
    await this.#send(w.nurse.patch(pathOf(url), [replace('/receiver/phone', '1')]))
    if (random.chance(0.5)) await this.#send(w.provider.patch(pathOf(url), transitionTo('FULFILLED')))
  }

  async #changeBlackList(): Promise<void> {
    const { w, random } = this
    const nurse = random.one([w.nurse, w.otherNurse])
    const entry = { patient: random.one(both), item: random.one(this.items) }
    const response = await nurse.post(`${catalogue}/black-list`, entry)
    if (response.status === 201 && random.chance(0.3))
      // The replacement has meanwhile merged this entry with another entry.
      await this.#send(nurse.delete(pathOf(response.headers.location ?? '')), 404)
    else if (response.body?.code !== 'duplicate-entry') await this.#send(Promise.resolve(response))
  }

  async #send(request: Promise<ApiResponse>, allowed?: number): Promise<ApiResponse | undefined> {
    const response = await request
    if (response.status >= 300 && response.status !== allowed) this.writing.faults.push(outcome(response))
    return response
  }
}

/** Reads by both references. After the replacement both show every order exactly once. */
async function read({ nurse }: World, writing: Writing): Promise<void> {
  const [known, phase] = [[...writing.orders], writing.phase]
  const found = await Promise.all(both.map((of) => listed(nurse, `${orders}/orders`, of)))
  const entries = await Promise.all(both.map((of) => listed(nurse, `${catalogue}/black-lists`, of)))
  for (const ids of [...found, ...entries])
    if (new Set(ids).size < ids.length) writing.faults.push('a row was seen twice')
  if (phase === undefined || phase % 2 === 0 || writing.phase !== phase) return
  const missing = found.flatMap((ids) => known.filter((id) => !ids.includes(id)))
  if (missing.length > 0) writing.faults.push(`${missing.length} orders were out of sight`)
}

async function whileWriting(
  w: World,
  run: (writing: Writing, progress: () => Promise<void>) => Promise<void>
): Promise<Writing> {
  const writing: Writing = { orders: new Set(), faults: [], phase: 0 }
  const random = seededRandom()
  const items = await Promise.all(
    ['A', 'B', 'C'].map((name) =>
      w.clerk.create(`${catalogue}/catalogue-item`, deviceModel(w.catalogue, { name }))
    )
  )
  const writers = Array.from({ length: WRITERS }, () => {
    const writer = new Writer(w, writing, random, items)
    return () => writer.write()
  })
  const { faults, orders } = writing
  await runUnderLoad([...writers, () => read(w, writing)], { faults, count: () => orders.size }, (progress) =>
    run(writing, () => progress(ORDERS_OF_PHASE))
  )
  return writing
}

t.test('every order and entry stays visible while references are replaced under load', async (t) => {
  const app = await testApp(t, { DATABASE_POOL: '6' })
  const { sql, databaseUrl } = app
  const w = await world(app)
  const { orders: written, faults } = await whileWriting(w, async (writing, progress) => {
    await progress()
    for (const [at, [from, to]] of [
      [a, b],
      [b, a],
      [a, b]
    ].entries()) {
      writing.phase = undefined
      const args = ['patient', 'replace', '--from', from ?? '', '--to', to ?? '', '--confirm']
      const { code, output } = await operate(databaseUrl, args)
      t.equal(code, 0, output)
      writing.phase = at + 1
      await progress()
    }
  })
  t.same(faults, [])
  t.same(await differencesIn(sql), [])
  t.same(orderFaults(await ledgerOf(sql)), [])
  for (const table of ['orders', 'order_lines', 'black_list_entries'])
    t.same(await sql`select from ${sql(table)} where patient = ${a}`, [], table)
  for (const of of both) t.same((await listed(w.nurse, `${orders}/orders`, of)).sort(), [...written].sort())
  const devices = await sql`select line_id from devices order by 1`
  t.ok(devices.length > 0)
  const found = async (path: string, query: Record<string, string>) =>
    (await w.nurse.get(withQuery(`${orders}/${path}`, { ...query, limit: '1000' }), 200)).body
  for (const of of both)
    t.equal((await found('order-lines', { patient: of, inUse: 'true' })).length, devices.length)
  for (const id of [...written].slice(0, 10)) {
    const order = w.monitor.replace(/ssl-catalogue.*/, `ssl-order/v1/order/${id}`)
    const ofPatient = (of: string) => found('audit-events', { patient: of, order })
    const [one, other] = [await ofPatient(a), await ofPatient(b)]
    t.ok(one.length > 0)
    t.same(other, one, 'either reference finds the audit record')
  }
  const [database] = await sql`select deadlocks::int from pg_stat_database where datname = current_database()`
  t.equal(database?.deadlocks, 0)
})
