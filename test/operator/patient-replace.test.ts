import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { testApp } from '../fixtures/app.js'
import type { Caller } from '../fixtures/callers.js'
import { clinicalWorld } from '../fixtures/clinical.js'
import { differencesIn } from '../fixtures/copies.js'
import { plantDelivery } from '../fixtures/devices.js'
import { ledgerOf, orderFaults } from '../fixtures/events/ledger-checks.js'
import { operate, plantOrder } from '../fixtures/operator.js'
import { idOf, idsOf } from '../fixtures/routes/addresses.js'
import { outcome } from '../fixtures/routes/refusal.js'
import { temporaryFolder } from '../fixtures/server.js'
import { catalogue, orders, pathOf, patient, replace, withQuery, world } from '../fixtures/world.js'

const [a, b, c] = ['a', 'b', 'c'].map(patient) as [string, string, string]

const command = (from: string, to: string) => ['patient', 'replace', '--from', from, '--to', to]

async function start(t: Test, env: Record<string, string> = {}) {
  const app = await testApp(t, env)
  const w = await world(app)
  /** Replaces a reference. */
  const run = async (from: string, to: string, ...more: string[]) => {
    const { code, output } = await operate(app.databaseUrl, [...command(from, to), '--confirm', ...more])
    if (code !== 0) throw new Error(output)
    return output
  }
  const draftFor = (of: string) => w.createDraft({ receiver: { name: 'R', patient: of } })
  const block = (of: string, item: string, by = w.nurse) =>
    by.create(`${catalogue}/black-list`, { patient: of, item })
  return { ...app, w, run, draftFor, block }
}

const list = async (caller: Caller, path: string, of: string, more = {}) =>
  (await caller.get(withQuery(path, { patient: of, limit: '1000', ...more }), 200)).body
const ordersOf = async (caller: Caller, of: string) =>
  idsOf(await list(caller, `${orders}/orders`, of)).sort()
const entriesOf = async (caller: Caller, of: string) =>
  idsOf(await list(caller, `${catalogue}/black-lists`, of)).sort()

t.test('a replaced patient', async (t) => {
  const { w, run, sql, databaseUrl, draftFor, block } = await start(t)
  const { nurse, provider } = w
  const { order: closed, line } = await plantDelivery({ sql }, w, { patient: a, serial: 'SN-1' })
  const open = await plantOrder(w, a, { isOpen: true })
  const draft = await draftFor(a)
  const own = await draftFor(b)
  const [moved, double] = [await block(a, w.repair), await block(a, w.monitor, w.otherNurse)]
  const kept = await block(b, w.monitor, w.otherNurse)
  const all = [closed, open, draft, own].map(idOf).sort()
  await nurse.get(pathOf(closed), 200)
  const stored = () => sql`select id, patient, revision from orders union all
    select id, patient, null from order_lines union all select id, patient, null from black_list_entries order by id`

  t.test('is counted without --confirm', async (t) => {
    const before = await stored()
    const { output } = await operate(databaseUrl, command('-', `${b}/`), { input: `${a}\n` })
    t.equal(
      output,
      'The patient of --to has 1 order now.\nWould move 3 orders (1 open) and 1 black list entry (1 doubles joined). Nothing was changed. Repeat the command with --confirm.\n'
    )
    t.same(await stored(), before)
    t.same(await sql`select from patient_aliases`, [])
    t.equal(
      await run('-', '-').catch((error) => error.message),
      'The patient must be the URL of a clinical Patient: https://<server>/Patient/<id>.\n'
    )
  })

  t.test('has orders, lines, devices and black lists under the new reference', async (t) => {
    const tags = (await nurse.get(pathOf(closed), 200)).headers.etag
    t.equal(await run(a, b), 'Moved 3 orders (1 open) and 1 black list entry (1 doubles joined).\n')
    const after = await stored()
    t.same(new Set(after.map((row) => row.patient)), new Set([b]))
    t.same(await differencesIn(sql), [])
    t.not((await nurse.get(pathOf(closed), 200)).headers.etag, tags, 'clients load the orders again')
    t.same(orderFaults(await ledgerOf(sql)), [])
    const events = await sql`select subject_id, is_of_draft from events where type = 'order.receiver-changed'`
    t.same(events, [{ subject_id: idOf(open), is_of_draft: false }], 'consumers learn of open orders')
    for (const of of [a, b, `${a}/`]) {
      t.same(await ordersOf(nurse, of), all)
      const lines = await list(provider, `${orders}/order-lines`, of, { inUse: 'true' })
      t.same(idsOf(lines), [idOf(line)], 'a device at home')
      t.same(await entriesOf(nurse, of), [idOf(moved)])
      t.same(await entriesOf(w.otherNurse, of), [idOf(kept)])
      const items = await list(nurse, `${catalogue}/catalogue-items`, of, { buyer: w.buyer })
      t.same(items, [], 'black lists of both references hold')
    }
  })

  t.test('has its audit record under both references', async (t) => {
    const ofOrder = async (of: string) =>
      (await list(nurse, `${orders}/audit-events`, of, { order: closed })).length
    const count = await ofOrder(a)
    t.ok(count > 5)
    t.equal(await ofOrder(b), count)
    const records = await sql`select operation, interaction, cardinality(patients) as subjects, orders
      from audit_events where user_type = 'Operator' order by recorded`
    t.match(records, [
      { operation: 'previewPatientReplacement', interaction: 'read', subjects: 2 },
      { operation: 'replacePatient', interaction: 'update', subjects: 4 }
    ])
  })

  t.test('changes nothing when it is run again', async (t) => {
    const before = await stored()
    t.equal(await run(a, b), 'Moved 0 orders (0 open) and 0 black list entries (0 doubles joined).\n')
    t.same(await stored(), before)
    const [alias] = await sql`select moved, joined from patient_aliases`
    t.equal(alias?.moved.length, 4)
    t.same(alias?.joined, { [idOf(double)]: idOf(kept) })
  })

  t.test('is treated as the new patient in each request', async (t) => {
    const order = await draftFor(a)
    t.match((await nurse.get(pathOf(order), 200)).body.receiver, { patient: b })
    const line = { order, item: w.repair, action: 'REPAIR' }
    t.equal(outcome(await nurse.post(`${orders}/order-line`, line)), '422 black-listed /item')
    const inOrder = w.draft({ receiver: { name: 'R', patient: a }, orderLines: [line] })
    delete (inOrder.orderLines as Record<string, unknown>[])[0]?.order
    t.equal(outcome(await nurse.post(`${orders}/order`, inOrder)), '422 black-listed /orderLines/0/item')
    const { body } = await nurse.post(
      `${orders}/orderability`,
      { buyer: w.buyer, patient: a, items: [w.repair] },
      200
    )
    t.match(body, [{ orderable: false, reasons: [{ code: 'black-listed' }] }])
    const again = await nurse.post(`${catalogue}/black-list`, { patient: a, item: w.repair })
    t.match(again, { status: 409, body: { errors: [{ detail: new RegExp(idOf(moved)) }] } })
    const other = await draftFor(c)
    await nurse.patch(pathOf(other), [replace('/receiver/clinicalRef', a)], 204)
    t.match((await nurse.get(pathOf(other), 200)).body.receiver, { patient: b })
    for (const order of [other, open].map(pathOf)) {
      const { receiver } = (await nurse.get(order, 200)).body
      const tests = [
        { op: 'test', path: '/receiver/patient', value: `${a}/` },
        { op: 'test', path: '/receiver', value: { ...receiver, patient: a } }
      ]
      await nurse.patch(order, [...tests, replace('/receiver', { ...receiver, patient: a, phone: '1' })], 204)
      t.match((await nurse.get(order, 200)).body.receiver, { patient: b, phone: '1' })
    }
    await sql`update orders set patient = ${a} where id = ${idOf(order)}`
    t.same(await sql`select from orders where patient = ${a}`, [], 'the database stores the new one')
    for (const made of [order, other]) await nurse.delete(pathOf(made), 204)
  })

  t.test('is reversed by a replacement in the other direction', async (t) => {
    const since = await draftFor(a)
    const preview = await operate(databaseUrl, command(b, a))
    t.match(
      preview.output,
      /^Would take back a replacement, and move 3 orders \(1 open\) and 1 black list entry/m
    )
    t.equal(
      await run(b, a),
      'Took back a replacement. Moved 3 orders (1 open) and 1 black list entry (1 doubles restored).\n'
    )
    t.same(await ordersOf(nurse, a), [closed, open, draft].map(idOf).sort())
    t.same(await ordersOf(nurse, b), [own, since].map(idOf).sort(), 'what was ordered since stays')
    t.same(await entriesOf(nurse, a), [idOf(moved)])
    t.same(await entriesOf(nurse, b), [])
    t.same(await entriesOf(w.otherNurse, a), [idOf(double)], 'no patient loses an entry')
    t.same(await entriesOf(w.otherNurse, b), [idOf(kept)])
    t.same(await sql`select from patient_aliases`, [])
    t.same(await differencesIn(sql), [])
    t.same(orderFaults(await ledgerOf(sql)), [])
  })
})

t.test('chains lead to the last reference, and end in reverse order', async (t) => {
  const { w, run, databaseUrl, draftFor, block } = await start(t)
  const [first, second, third] = [await draftFor(a), await draftFor(b), await draftFor(c)].map(idOf)
  const entries = [await block(a, w.repair), await block(b, w.repair), await block(c, w.repair)].map(idOf)
  const seen = async () => [
    await ordersOf(w.nurse, a),
    await ordersOf(w.nurse, b),
    await ordersOf(w.nurse, c)
  ]
  const before = await seen()
  await run(a, b)
  await run(b, c)
  await run(a, b)
  const all = [first, second, third].sort()
  t.same(await seen(), [all, all, all])
  const since = await draftFor(a)
  t.match((await w.nurse.get(pathOf(since), 200)).body.receiver, { patient: c })
  await w.nurse.delete(pathOf(since), 204)
  const refusals = [
    [1, command(c, a), /^--from has replaced --to by way of other references\./],
    [
      1,
      command(a, patient('other')),
      /^Another reference has replaced --from\. Name that reference instead\./
    ],
    [1, command(b, a), /^Another reference has replaced --from\./],
    [2, command(a, a), /^--from and --to must be two patients\./],
    [2, ['patient', 'replace', '--from', a], /^Usage/]
  ] as const
  for (const [code, args, output] of refusals)
    t.match(await operate(databaseUrl, [...args, '--confirm']), { code, output })
  await run(c, b)
  t.same(await ordersOf(w.nurse, a), [first, second].sort(), 'a still leads to b')
  await run(b, a)
  t.same(await seen(), before)
  for (const [at, of] of [a, b, c].entries()) t.same(await entriesOf(w.nurse, of), [entries[at]])
})

t.test('requests to the clinical backend name the new patient of a replaced reference', async (t) => {
  const { nurse, createDraft, draft, patient, databaseUrl } = await clinicalWorld(t)
  const former = 'https://former.example/Patient/p1'
  await operate(databaseUrl, [...command(former, patient('p1')), '--confirm'])
  await operate(databaseUrl, [...command(patient('gone'), patient('p2')), '--confirm'])
  for (const [sent, stored] of [
    [former, patient('p1')],
    [patient('gone'), patient('p2')]
  ] as const) {
    const order = await createDraft({ receiver: { name: 'R', patient: sent } })
    t.match((await nurse.get(pathOf(order), 200)).body.receiver, { patient: stored })
  }
  const unknown = draft({ receiver: { name: 'R', patient: 'https://former.example/Patient/p2' } })
  t.equal(outcome(await nurse.post(`${orders}/order`, unknown)), '422 dangling-reference /receiver/patient')
})

t.test('an export and an erasure by one of the references cover both', async (t) => {
  const { run, w, databaseUrl, sql, block } = await start(t)
  const [first, second] = [await plantOrder(w, a), await plantOrder(w, b)]
  await block(a, w.repair)
  for (const order of [first, second]) await w.nurse.get(pathOf(order), 200)
  await run(a, b)
  await run(b, c)
  const folder = temporaryFolder(t)
  const exported = async (of: string) => {
    const file = join(folder, `${idOf(of)}.json`)
    t.match(await operate(databaseUrl, ['patient', 'export', of, '--to', file]), { code: 0 })
    const { exported: _, accesses, ...rest } = JSON.parse(readFileSync(file, 'utf8'))
    const isRead = (each: Record<string, unknown>) =>
      each.userType === 'MonitoringResponsible' && each.interaction === 'read'
    return { ...rest, reads: accesses.filter(isRead) }
  }
  const found = await exported(a)
  t.same(await exported(b), found)
  t.same(await exported(c), found)
  t.equal(found.patient, c)
  t.equal(found.orders.length, 2)
  t.equal(found.reads.length, 2)
  t.same(found.formerReferences, [
    { reference: a, replacedBy: b },
    { reference: b, replacedBy: c }
  ])
  const { output } = await operate(databaseUrl, ['patient', 'erase', a, '--confirm'])
  t.match(output, /^Erased the patient from 2 orders and removed 1 black list entry\.\n/)
  for (const of of [a, b, c]) t.same(await sql`select from orders where patient = ${of}`, [])
  t.same(await sql`select from patient_aliases`, [])
  t.match(await operate(databaseUrl, ['patient', 'erase', b]), { code: 1, output: /^Nothing was found/ })
})

t.test('a replacement by a former reference uses the present reference', async (t) => {
  const { w, run, draftFor } = await start(t)
  const [first, second] = [await draftFor(a), await draftFor(b)].map(idOf)
  await run(b, c)
  for (let times = 0; times < 2; times++) await run(a, b)
  for (const of of [a, b, c]) t.same(await ordersOf(w.nurse, of), [first, second])
  await run(c, b)
  t.same(await ordersOf(w.nurse, a), [first], 'the two can be taken back one by one')
  t.same(await ordersOf(w.nurse, b), [second])
  await run(c, a)
  t.same(await ordersOf(w.nurse, a), [first])
  t.same(await ordersOf(w.nurse, c), [])
})

t.test('the replacement of an unused reference can be made, reversed and erased', async (t) => {
  const { run, databaseUrl, sql, draftFor, w } = await start(t)
  const none = 'Moved 0 orders (0 open) and 0 black list entries (0 doubles joined).\n'
  t.equal(await run(a, b), none)
  const order = await draftFor(a)
  t.match((await w.nurse.get(pathOf(order), 200)).body.receiver, { patient: b })
  await w.nurse.delete(pathOf(order), 204)
  t.match(await operate(databaseUrl, ['patient', 'erase', a, '--confirm']), { code: 0 })
  t.same(await sql`select from patient_aliases`, [])
})
