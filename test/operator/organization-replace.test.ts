import t, { type Test } from 'tap'
import { secondServer, testWorld } from '../fixtures/app.js'
import type { Caller } from '../fixtures/callers.js'
import { readOn } from '../fixtures/events/reading.js'
import { operate } from '../fixtures/operator.js'
import { idOf } from '../fixtures/routes/addresses.js'
import { subscription } from '../fixtures/routes/bodies.js'
import { outcome } from '../fixtures/routes/refusal.js'
import { asServerRole } from '../fixtures/server-role.js'
import {
  catalogue,
  orders,
  organization,
  party,
  pathOf,
  patient,
  transitionTo,
  withQuery
} from '../fixtures/world.js'

const [from, to, third] = ['region', 'other-region', 'third'].map(organization) as [string, string, string]
const replace = (...more: string[]) => ['organization', 'replace', '--from', from, '--to', to, ...more]

async function start(t: Test) {
  const { app, w } = await testWorld(t)
  const run = async (...args: string[]) => {
    const { code, output } = await operate(app.databaseUrl, args)
    if (code !== 0) throw new Error(output)
    await app.app.replacedOrganizations.refresh()
    return output
  }
  return { ...app, w, run }
}

const listEntries = async (caller: Caller, of: string) =>
  (await caller.get(withQuery(`${catalogue}/black-list`, { patient: of }), 200)).body

t.test('a merged organization', async (t) => {
  const { w, run, sql, as, ...running } = await start(t)
  const clerk = as('AdministrativeClerk', to)
  const { order } = await w.submitted()
  await w.nurse.get(pathOf(order), 200)
  const entry = await w.nurse.create(`${catalogue}/black-list`, { patient: patient('p'), item: w.repair })
  const statuses = ['PENDING', 'ACTIVE', 'PAUSED', 'SUSPENDED', 'ENDED'] as const
  for (const status of statuses) {
    const id = idOf(await w.nurse.create(`${orders}/subscription`, subscription))
    await sql`update subscriptions set status = ${status}, revision = revision + 1 where id = ${id}`
  }
  await sql`insert into catalogue_imports (id, catalogue_id, seller_id, user_type, organization, counts, recorded_at)
    values (gen_random_uuid(), ${idOf(w.catalogue)}, ${idOf(w.seller)}, 'AdministrativeClerk', ${from}, '{}', now())`
  const cursor = (await readOn(w.otherNurse)).next
  const stored = async () => ({
    parties: await sql`select id, organization, registered_by, event_count from parties order by id`,
    others:
      await sql`select organization from black_list_entries union all select organization from catalogue_imports
      union all select concat_ws(' ', organization, status) from subscriptions`,
    replaced: await sql`select * from replaced_organizations`
  })

  t.test('is counted without --confirm', async (t) => {
    const before = await stored()
    const counts =
      '1 party, 3 registrations of parties, 1 black list entry (0 doubles joined), 5 subscriptions, 1 import'
    t.equal(
      await run(...replace()),
      `${to} has 1 party now.\nWould move ${counts}. Nothing was changed. Repeat the command with --confirm.\n`
    )
    t.same(await stored(), before)
    t.equal(await run(...replace('--confirm')), `Moved ${counts}.\n`)
    const records = await sql`
      select operation, interaction, request_id as "requestId", user_type as "userType" from audit_events
      where operation ~ 'replace|Replacement' order by recorded`
    const record = { requestId: `${from} ${to}`, userType: 'Operator' }
    t.same(records, [
      { operation: 'previewOrganizationReplacement', interaction: 'read', ...record },
      { operation: 'replaceOrganization', interaction: 'update', ...record }
    ])
  })

  t.test('is rejected from then on, also by an instance that starts', async (t) => {
    for (const instance of [{ as }, await secondServer(t, running)]) {
      const nurse = instance.as('MonitoringResponsible', from)
      const response = await nurse.get(pathOf(order), 403, { 'accept-language': 'da' })
      t.match(response, { body: { code: 'organization-replaced' } })
      t.match(response.body.detail, /er afløst af .*\/other-region\. Hent en adgangsnøgle/)
      t.equal(outcome(await nurse.get(`${orders}/me`)), '403 organization-replaced')
      await instance.as().get('/problems/organization-replaced', 200)
    }
    const [record] = await sql`
      select organization, orders from audit_events where problem = 'organization-replaced' and interaction = 'read'`
    t.match(record, { organization: from, orders: [idOf(order)] }, 'the refusal is recorded')
  })

  t.test('has its parties, lists, imports and subscriptions in the new organization', async (t) => {
    t.match((await w.otherNurse.get(pathOf(w.buyer), 200)).body, { organization: to })
    t.same(await sql`select from parties where ${from} in (organization, registered_by)`, [])
    await clerk.put(
      pathOf(w.seller),
      { ...(await clerk.get(pathOf(w.seller), 200)).body, name: 'Renamed' },
      204
    )
    t.match(await listEntries(w.otherNurse, patient('p')), [{ id: idOf(entry) }])
    await w.otherNurse.delete(pathOf(entry), 204)
    t.match((await clerk.get('/ssl-catalogue-excel/v1/imports', 200)).body, [{ organization: to }])
    const { body } = await w.otherNurse.get(`${orders}/subscriptions`, 200)
    const paused = { status: 'PAUSED', statusReason: 'ORGANIZATION_REPLACED' }
    t.match(body, [paused, paused, paused, paused, { status: 'ENDED', statusReason: null }])
    const [first] = body
    await w.otherNurse.post(`${orders}/subscription/${first.id}/resume`, undefined, 204)
    t.match((await w.otherNurse.get(`${orders}/subscription/${first.id}`, 200)).body, { statusReason: null })
    const reasons = `${catalogue}/value-sets/subscription-status-reason`
    const { body: set } = await clerk.get(reasons, 200, { 'accept-language': 'da' })
    t.match(JSON.stringify(set), '"ORGANIZATION_REPLACED","display":"Organisationen er afløst af en anden"')
  })

  t.test('is still named in its earlier actions, which the present buyer reads', async (t) => {
    const { body: audit } = await w.otherNurse.get(withQuery(`${orders}/audit-events`, { order }), 200)
    t.match(JSON.stringify(audit), from)
    t.ok(audit.length >= 3)
    const { body: trace } = await w.otherNurse.get(withQuery(`${orders}/trace-lines`, { order }), 200)
    t.match(trace[0], { createdByOrganization: 'region' })
  })

  t.test('is in the feed of the new organization after its cursor', async (t) => {
    await w.provider.patch(pathOf(order), transitionTo('ACCEPTED'), 204)
    const { events } = await readOn(w.otherNurse, cursor)
    const changed = events.find(({ type, subject }) => type === 'party.changed' && subject === w.buyer)
    t.match(changed, { data: { change: 'changed' } })
    t.ok(events.some(({ subject, type }) => subject === order && type === 'order.status-changed'))
    const earlier = await readOn(w.otherNurse)
    t.ok(earlier.events.some(({ subject, type }) => subject === order && type === 'order.submitted'))
  })

  t.test('gets no new parties', async (t) => {
    const response = await clerk.post(`${orders}/party/`, party('region', 'SELLER'))
    t.equal(outcome(response), '422 dangling-reference /organization')
    t.match(response.body.errors, [{ detail: `It was replaced by ${to}.` }])
  })

  t.test('is followed when the new organization is replaced', async (t) => {
    await t.rejects(
      run(...replace().map((each) => (each === to ? third : each))),
      /was replaced by .*other-region\. Name that organization/
    )
    await run('organization', 'replace', '--from', to, '--to', third, '--confirm')
    const response = await w.nurse.get(pathOf(order))
    t.match(response.body.detail, third)
    await as('MonitoringResponsible', third).get(pathOf(order), 200)
  })
})

t.test('a task that moves', async (t) => {
  const { w, run, as, sql } = await start(t)
  const stays = await w.clerk.create(`${orders}/party/`, party('region', 'BUYER'))
  const [{ order }, kept] = [await w.submitted(), await w.createDraft()]
  await sql`update orders set buyer_id = ${idOf(stays)} where id = ${idOf(kept)}`
  for (const name of ['one', 'both'])
    await w.nurse.create(`${catalogue}/black-list`, { patient: patient(name), item: w.repair })
  await w.otherNurse.create(`${catalogue}/black-list`, { patient: patient('both'), item: w.repair })
  await w.nurse.create(`${orders}/subscription`, subscription)
  const moving = ['--party', w.buyer]
  const moved = (parties: string, entries: string) =>
    `Moved ${parties}, ${entries} (0 doubles joined), 0 subscriptions, 0 imports.\n`

  t.test('takes only its parties along', async (t) => {
    t.equal(
      await run(...replace(...moving, '--confirm')),
      moved('1 party, 1 registration of a party', '0 black list entries')
    )
    await w.otherNurse.get(pathOf(order), 200)
    await w.nurse.get(pathOf(order), 404)
    await w.nurse.get(pathOf(kept), 200)
    await w.otherNurse.get(pathOf(kept), 404)
    t.same(await listEntries(w.otherNurse, patient('one')), [])
    t.match((await w.nurse.get(`${orders}/subscriptions`, 200)).body, [{ organization: from }])
    t.same((await w.otherNurse.get(`${orders}/subscriptions`, 200)).body, [])
    await as('AdministrativeClerk', from).put(
      pathOf(w.buyer),
      { ...(await w.clerk.get(pathOf(w.buyer), 200)).body, name: 'Mine' },
      404
    )
  })

  t.test('takes copies of the black list along on request', async (t) => {
    t.equal(
      await run(...replace(...moving, '--black-lists', '--confirm')),
      moved('0 parties, 0 registrations of parties', '1 black list entry')
    )
    for (const nurse of [w.nurse, w.otherNurse])
      for (const name of ['one', 'both']) t.equal((await listEntries(nurse, patient(name))).length, 1)
    t.equal(
      await run(...replace(...moving, '--black-lists', '--confirm')),
      moved('0 parties, 0 registrations of parties', '0 black list entries')
    )
  })
})

t.test('a merger is reversed party by party', async (t) => {
  const { w, run } = await start(t)
  const { order } = await w.submitted()
  await run(...replace('--confirm'))
  await w.nurse.get(pathOf(order), 403)
  await run('organization', 'replace', '--from', to, '--to', from, '--party', w.buyer, '--confirm')
  await w.nurse.get(pathOf(order), 200)
  await w.otherNurse.get(pathOf(order), 404)
})

t.test('invalid organizations and parties are rejected', async (t) => {
  const { w, databaseUrl, sql } = await start(t)
  const cases: { args: string[]; output: RegExp; code?: number; url?: string }[] = [
    { args: ['organization', 'replace', '--from', from], output: /^Usage/ },
    { args: replace('--black-lists'), output: /^Usage/ },
    { args: replace('--to', from), output: /^--from and --to must be two organizations/ },
    { args: replace('--from', 'region'), output: /^An organization must be a URL: / },
    { args: replace('--party', idOf(w.buyer)), output: /^--party must be the URL of a party/ },
    {
      args: replace('--party', w.account),
      output: /\/region has no party with this id: [-0-9a-f]+\.\n$/,
      code: 1
    },
    {
      args: replace('--confirm'),
      output: /^The role \w+ may not do this/,
      code: 1,
      url: asServerRole(databaseUrl)
    }
  ]
  for (const { args, output, code = 2, url = databaseUrl } of cases)
    t.match(await operate(url, args), { code, output }, args.join(' '))
  t.equal((await sql`select from audit_events where user_type = 'Operator'`).length, 0)
})
