import t from 'tap'
import { testApp } from '../fixtures/app.js'
import type { Caller } from '../fixtures/callers.js'
import { differencesIn } from '../fixtures/copies.js'
import { ledgerOf, orderFaults } from '../fixtures/events/ledger-checks.js'
import { until } from '../fixtures/events/receiver.js'
import { underMerger } from '../fixtures/merger.js'
import { operate } from '../fixtures/operator.js'
import { idOf } from '../fixtures/routes/addresses.js'
import { subscription } from '../fixtures/routes/bodies.js'
import { outcome } from '../fixtures/routes/refusal.js'
import { countWaiting } from '../fixtures/waiting.js'
import { catalogue, orders, organization, pathOf, patient, world } from '../fixtures/world.js'

const [from, to] = [organization('region'), organization('other-region')]
const command = ['organization', 'replace', '--from', from, '--to', to, '--confirm']

t.test('a merger waits for an entry that becomes a double', async (t) => {
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

  const { written, faults } = await underMerger(app, w, async (merging) => {
    await merging.progress(16)
    merging.isReplacing = true
    const { code, output } = await operate(databaseUrl, command)
    t.equal(code, 0, output)
    t.match(
      output,
      /^Moved 1 party, 3 registrations of parties, \d+ black list entr.* 1 subscription, 0 imports\.\n$/
    )
    await merging.progress(4)
    await app.app.replacedOrganizations.refresh()
    await merging.progress(16)
  })
  t.same(faults, [])
  t.same(await differencesIn(sql), [])
  // What the former organization wrote until its tokens were refused.
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
