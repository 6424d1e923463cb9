import t from 'tap'
import { type TestApp, testApp } from '../fixtures/app.js'
import { differencesIn } from '../fixtures/copies.js'
import { type PlantedDevice, plantDelivery } from '../fixtures/devices.js'
import { operate, patientSecret, plantEntry, plantOrder } from '../fixtures/operator.js'
import { idOf } from '../fixtures/routes/addresses.js'
import { orders, pathOf, patient, transitionTo, withQuery, world } from '../fixtures/world.js'

const p = patient('erased')
const stranger = patient('stranger')

/** The columns of tables, or their statistics, that contain a text. */
async function placesOf({ sql }: Pick<TestApp, 'sql'>, wanted: string): Promise<string[]> {
  const tables = await sql`
    select format('%I.%I', schemaname, tablename) as name from pg_tables
    where schemaname not in ('pg_catalog', 'information_schema')
    union all select 'pg_catalog.pg_stats'`
  const found: string[] = []
  for (const { name } of tables) {
    const bytes = Buffer.from(wanted).toString('hex')
    const [row] = await sql.unsafe(
      `select count(*)::int as count from ${name} r where strpos(r::text, $1) > 0 or strpos(r::text, $2) > 0`,
      [wanted, bytes]
    )
    if (row?.count > 0) found.push(name)
  }
  return found
}

t.test('erasing a patient', async (t) => {
  const app = await testApp(t)
  const { sql, databaseUrl } = app
  const w = await world(app)
  const first = await plantOrder(w, p)
  await plantOrder(w, p)
  const other = await plantOrder(w, stranger)
  const deleted = await w.createDraft({ name: patientSecret, receiver: { name: patientSecret, patient: p } })
  await w.nurse.delete(pathOf(deleted), 204)
  await sql`update orders set status_reason_text = ${patientSecret} where deleted_at is null`
  await sql`update order_lines set status_reason_code = 'NO_ANSWER', status_reason_text = ${patientSecret}`
  await plantEntry(w, p)
  await plantEntry(w, stranger)
  await w.nurse.get(`${orders}/order`, 200)
  const snapshot = () => sql`select id, revision, search_text, json_bytes, patient from orders order by id`
  const traces = () => sql`select * from trace_lines order by order_id, seq`
  const before = { orders: await snapshot(), traces: await traces() }
  /** Audit records that name a patient. */
  const recordsOf = async (url: string) =>
    (await sql`select from audit_events where ${app.app.audit.patientHash(url)}::text::bytea = any(patients)`)
      .length
  t.ok((await recordsOf(p)) > 3)
  const erase = (...more: string[]) => operate(databaseUrl, ['patient', 'erase', p, ...more])

  t.test('is rejected while an order is open', async (t) => {
    const open = await plantOrder(w, p, { isOpen: true })
    const wanted = new RegExp(
      `1 order of the patient is open: ${idOf(open)}\\. Have it fulfilled, .*Nothing was changed\\.\n$`
    )
    t.match(await erase(), { code: 0, output: wanted })
    t.match(await erase('--confirm'), { code: 1, output: wanted })
    t.same((await snapshot()).slice(0, 4), before.orders)
    await w.nurse.patch(pathOf(open), transitionTo('CANCELLED'), 204)
    before.orders = await snapshot()
    before.traces = await traces()
  })

  t.test('only counts without --confirm', async (t) => {
    const { code, output } = await operate(databaseUrl, ['patient', 'erase', '-'], { input: `${p}/` })
    t.equal(code, 0)
    t.match(output, /^Would erase the patient from 4 orders \(0 open\) and 1 black list entry\./)
    t.notMatch(output, /Zaphod|Patient\//)
    t.same(await snapshot(), before.orders)
  })

  t.test('leaves nothing of the patient in any table, nor in statistics', async (t) => {
    // The order of the stranger has the same texts.
    await sql`update orders set name = null, receiver_name = 'S', notes = '[]', identifiers = '[]', search_text = 's',
      receiver_phone = null, receiver_email = null, receiver_address_line1 = null, receiver_address_line2 = null,
      receiver_postal_code = null, receiver_postal_district = null, receiver_patient_name = null, status_reason_text = null where id = ${idOf(other)}`
    await sql`update order_lines set status_reason_text = 'its own' where order_id = ${idOf(other)}`
    await sql`analyze`
    for (const text of [p, patientSecret]) {
      const places = await placesOf(app, text)
      const ofLines = text === patientSecret ? ['public.order_lines'] : []
      for (const place of ['public.orders', 'pg_catalog.pg_stats', ...ofLines])
        t.ok(places.includes(place), `${place} before`)
    }
    const { code, output } = await erase('--confirm')
    t.equal(code, 0, output)
    t.match(output, /^Erased the patient from 4 orders and removed 1 black list entry\.\n/)
    for (const text of [p, patientSecret, patientSecret.toLowerCase(), 'Rasmus'])
      t.same(await placesOf(app, text), [], text.replace(patientSecret, 'the text'))
  })

  t.test('keeps the trace, and the orders of the patient together', async (t) => {
    t.same(await traces(), before.traces)
    const after = await snapshot()
    const erased = after.filter(({ id }) => id !== idOf(other))
    t.equal(new Set(erased.map((each) => each.patient)).size, 1)
    t.match(erased[0]?.patient, /^https:\/\/erased\.invalid\/Patient\/[0-9a-f-]{36}$/)
    const lines = await sql`select distinct patient from order_lines where order_id <> ${idOf(other)}`
    t.same(lines, [{ patient: erased[0]?.patient }], 'lines follow their orders')
    t.same(await differencesIn(sql), [])
    for (const [at, { id, revision, search_text, json_bytes }] of after.entries()) {
      const former = before.orders[at]
      t.equal(revision, id === idOf(other) ? former?.revision : former?.revision + 1, 'clients load it again')
      if (id === idOf(other)) continue
      t.equal(search_text, '(erased)')
      t.not(json_bytes, former?.json_bytes)
    }
    const { body } = await w.nurse.get(pathOf(first), 200)
    t.match(body, {
      name: null,
      identifiers: [],
      notes: [],
      status: { code: 'FULFILLED' },
      receiver: {
        name: '(erased)',
        addressLine1: null,
        email: null,
        phone: null,
        patient: erased[0]?.patient
      }
    })
    const [row] = await sql`select from orders where id = ${idOf(other)} and patient = ${stranger}`
    t.ok(row, 'others keep theirs')
    const ofOther =
      await sql`select status_reason_text as text from order_lines where order_id = ${idOf(other)}`
    t.same(ofOther, [{ text: 'its own' }])
    const { body: details } = await w.nurse.get(`${pathOf(first)}/details`, 200)
    t.match(details.orderLines, [{ statusReason: { code: { code: 'NO_ANSWER' }, text: null } }])
    t.equal((await sql`select from black_list_entries where patient = ${stranger}`).length, 1)
  })

  t.test('keeps the records of who saw the patient', async (t) => {
    const { body } = await w.nurse.get(withQuery(`${orders}/audit-events`, { patient: p }), 200)
    t.ok(body.length > 3, 'those who know the reference find the events')
    const [row] =
      await sql`select user_type, problem, orders from audit_events where operation = 'erasePatient'`
    t.match(row, { user_type: 'Operator', problem: null })
    t.ok((await recordsOf(stranger)) > 0, 'other patients stay as they were')
  })

  t.test('reports that no data was found', async (t) => {
    // The query of the previous test has an audit record with the patient.
    await erase('--confirm')
    const wanted = { code: 1, output: 'Nothing was found that names this patient. Nothing was changed.\n' }
    t.match(await erase(), wanted)
    t.match(await erase('--confirm'), wanted)
  })
})

t.test('erasing lists some of many open orders', async (t) => {
  const app = await testApp(t)
  const w = await world(app)
  const drafts: string[] = []
  for (let count = 0; count < 22; count++)
    drafts.push(await w.createDraft({ receiver: { name: 'R', patient: p } }))
  const { code, output } = await operate(app.databaseUrl, ['patient', 'erase', p, '--confirm'])
  const named = drafts.slice(0, 20).map(idOf).join(', ')
  t.equal(code, 1)
  t.ok(output.startsWith(`22 orders of the patient are open: ${named} and 2 more. Have them`), output)
})

t.test('erasing clears the numbers of devices', async (t) => {
  const app = await testApp(t)
  const { sql, databaseUrl } = app
  const w = await world(app)
  const numbers = { serial: `SN ${patientSecret}`, lot: `LOT ${patientSecret}`, udi: `(01)${patientSecret}` }
  const closed = async (device: PlantedDevice) => idOf((await plantDelivery(app, w, device)).line)
  const [inUse, ended] = [
    await closed({ patient: p, ...numbers }),
    await closed({ patient: p, ...numbers, ended: 'RETURNED' })
  ]
  const other = await closed({ patient: stranger, serial: 'SN-other', lot: 'LOT-other' })
  await sql`update devices set expiry_date = '2030-01-01'`
  await sql`update order_lines set received_by = ${`Ida ${patientSecret}`} where patient = ${p}`
  const run = (...more: string[]) => operate(databaseUrl, ['patient', 'erase', p, ...more])
  const devices = () => sql`select * from devices order by order_id`
  const before = await devices()

  t.match(await run(), {
    code: 0,
    output: /^Would erase .*\n1 device of the patient is in use\.\nNothing was/
  })
  t.same(await devices(), before)

  await sql`analyze`
  const places = ['pg_catalog.pg_stats', 'public.devices', 'public.order_lines']
  t.same((await placesOf(app, patientSecret)).sort(), places)
  t.match(await run('--confirm'), {
    code: 0,
    output: /^Erased the patient from 2 orders .*\n1 device of the patient is in use\.\n$/
  })
  t.same(await placesOf(app, patientSecret), [])
  const after = new Map((await devices()).map((row) => [row.line_id, row]))
  const noNumbers = { serial_number: null, lot_number: null, udi: null, words: '\n' }
  for (const row of before)
    t.same(after.get(row.line_id), row.line_id === other ? row : { ...row, ...noNumbers })
  t.equal(after.get(inUse)?.used_until, null, 'it still counts as in use')
  t.equal(after.get(ended)?.end_reason, 'RETURNED')
})

t.test('erasing keeps the numbers of devices on request', async (t) => {
  const app = await testApp(t)
  const { sql, databaseUrl } = app
  const w = await world(app)
  await plantDelivery(app, w, { patient: p, serial: 'SN-1', ended: 'RETURNED' })
  const result = await operate(databaseUrl, ['patient', 'erase', p, '--keep-numbers', '--confirm'])
  t.match(result, { code: 0, output: /^Erased the patient from 1 order [^\n]*\n$/ })
  t.match(await sql`select serial_number from devices`, [{ serial_number: 'SN-1' }])
  t.equal((await sql`select from orders where patient = ${p}`).length, 0)
})

t.test('erasing changes every column of an order that takes text', async (t) => {
  const app = await testApp(t)
  const { sql, databaseUrl } = app
  const w = await world(app)
  const order = await plantOrder(w, p)
  // The number of the order, codes, which the trace keeps, too, and organizations of the parties.
  const codes = ['status', 'status_reason_code', 'awaiting']
  const kept = ['number', ...codes, 'buyer_organization', 'seller_organization']
  const columns = await sql`select column_name as name, data_type as type from information_schema.columns
    where table_name = 'orders' and data_type in ('text', 'jsonb')`
  for (const { name, type } of columns.filter((each) => !kept.includes(each.name)))
    await sql.unsafe(
      `update orders set ${name} = ${type === 'jsonb' ? `'[{"note": "${patientSecret}"}]'` : `'${name === 'patient' ? p : patientSecret}'`} where id = '${idOf(order)}'`
    )
  t.match(await operate(databaseUrl, ['patient', 'erase', p, '--confirm']), { code: 0 })
  const [row] = await sql`select o::text as text from orders o`
  t.notMatch(row?.text, patientSecret)
})
