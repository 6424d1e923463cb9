import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { testApp } from '../fixtures/app.js'
import { putRow } from '../fixtures/audit/rows.js'
import { recordDevices } from '../fixtures/devices.js'
import { operate, patientSecret, plantEntry, plantOrder } from '../fixtures/operator.js'
import { idOf, idsOf } from '../fixtures/routes/addresses.js'
import { temporaryFolder } from '../fixtures/server.js'
import { asServerRole } from '../fixtures/server-role.js'
import { orders, organization, pathOf, patient, world } from '../fixtures/world.js'

const p = patient('exported')
const stranger = patient('stranger')

t.test('an export has all data of one patient, and no data of other patients', async (t) => {
  const app = await testApp(t)
  const { sql, databaseUrl } = app
  const url = asServerRole(databaseUrl)
  const w = await world(app)
  const [first, second] = [await plantOrder(w, p), await plantOrder(w, p)]
  const foreign = await plantOrder(w, stranger)
  for (const table of ['orders', 'order_lines'])
    await sql.unsafe(
      `update ${table} set status_reason_code = 'OTHER', status_reason_text = 'Reason: ${patientSecret}'`
    )
  await sql`update order_lines set received_by = ${`Ida ${patientSecret}`}, performed_at = '2026-01-02T03:04:05Z'`
  await sql`delete from devices`
  await recordDevices(sql, first, { serial: `SN ${patientSecret}`, ended: 'LOST' })
  await recordDevices(sql, foreign, { serial: 'SN-foreign' })
  await sql`update devices set used_from = '2026-01-02T03:04:05Z'`
  await plantEntry(w, p)
  await w.nurse.get(`${orders}/order`, 200)
  await w.otherNurse.get(pathOf(first), 404)
  const page = { patients: [p, stranger].map(app.app.audit.patientHash), orders: [first, foreign].map(idOf) }
  const source = await putRow(sql, { ...page, operation: 'page', recorded: new Date(Date.now() - 1000) })
  await putRow(sql, { same_as: source, operation: 'repeatedPage' })
  const theirs = { patients: [app.app.audit.patientHash(stranger)], orders: [idOf(foreign)] }
  await putRow(sql, { ...theirs, operation: 'strangersOnly' })
  const folder = temporaryFolder(t)
  const file = join(folder, 'exported.json')

  const { code, output } = await operate(url, ['patient', 'export', `${p}/`, '--to', file])
  t.equal(code, 0, output)
  t.notMatch(output, /Rasmus|Zaphod|Patient/, 'only counts are printed')
  t.match(
    output,
    /^orders: 2\norderLines: 2\ndevices: 1\ntraceLines: 10\nnotes: 2\nblackListEntries: 1\nformerReferences: 0\naccesses: \d+\nWrote \S+exported\.json\.\n$/
  )
  t.same(readdirSync(folder), ['exported.json'])
  t.equal(statSync(file).mode & 0o777, 0o600)
  const text = readFileSync(file, 'utf8')
  const exported = JSON.parse(text)

  t.test('the JSON has all data of the patient, and no data of other patients', async (t) => {
    t.equal(exported.patient, p)
    t.same(idsOf(exported.orders), [first, second].map(idOf))
    const reason = { statusReasonCode: 'OTHER', statusReasonText: `Reason: ${patientSecret}` }
    const receiver = { receiverName: `Rasmus ${patientSecret}`, receiverPatientName: patientSecret }
    t.match(exported.orders[0], { ...receiver, ...reason, buyer: 'region' })
    t.match(exported.notes[0], {
      orderId: idOf(first),
      note: `Key at ${patientSecret}`,
      authorName: 'Nora Nurse'
    })
    const performed = { performedAt: '2026-01-02T03:04:05.000Z', receivedBy: `Ida ${patientSecret}` }
    t.match(exported.orderLines[0], { ...reason, ...performed })
    t.match(exported.devices, [
      {
        orderId: idOf(first),
        item: 'Blood pressure monitor',
        serialNumber: `SN ${patientSecret}`,
        lotNumber: null,
        from: '2026-01-02T03:04:05.000Z',
        until: String,
        endReason: 'LOST'
      }
    ])
    t.notMatch(text, 'SN-foreign')
    t.match(exported.blackListEntries, [{ patient: p, item: 'Repair of the blood pressure monitor' }])
    t.match(exported.traceLines[0], { orderId: idOf(first), seq: 1, text: 'Order created.' })
    t.notMatch(text, idOf(foreign), 'a page shows the orders of others to nobody')
    t.notMatch(text, stranger)
    t.notMatch(text, 'strangersOnly')
  })

  t.test('has each column of its tables, except for those that a program derives', async (t) => {
    const derived = {
      orders: `buyerId sellerId buyerOrganization sellerOrganization notes searchText revision traceCount
        eventCount hasReturnedLine wasReturned wasLate answerDueAt deliveryDueAt dueAt jsonBytes`,
      order_lines: 'buyerOrganization sellerOrganization patient submittedAt eventCount tookEndBack',
      // The members `from` and `until` have these times.
      devices:
        'buyerId sellerId buyerOrganization sellerOrganization endedBy usedFrom usedUntil words otherGtins'
    }
    const kinds = { orders: 'orders', order_lines: 'orderLines', devices: 'devices' }
    for (const [table, kind] of Object.entries(kinds) as [keyof typeof kinds, string][]) {
      const columns = await sql`select column_name as name from information_schema.columns
        where table_schema = 'public' and table_name = ${table}`
      const names = columns.map(({ name }) =>
        name.replaceAll(/_(\w)/g, (_: string, c: string) => c.toUpperCase())
      )
      const missing = names.filter((name) => !(name in exported[kind][0]))
      t.same(missing.sort(), derived[table].split(/\s+/).sort(), table)
    }
  })

  t.test('the accesses say who saw the patient', async (t) => {
    const of = (operation: string) =>
      exported.accesses.filter((each: { operation: string }) => each.operation === operation)
    const hidden = { problem: 'not-found', organization: organization('other-region') }
    t.match(of('getOrder'), [{ ...hidden, orders: [idOf(first)] }])
    t.match(of('listOrderSingular'), [{ userType: 'MonitoringResponsible', problem: null }])
    for (const operation of ['page', 'repeatedPage'])
      t.match(of(operation), [{ orders: [idOf(first)], recorded: /^\d{4}-\d\d-\d\dT[\d:.]+Z$/ }], operation)
    t.match(of('exportPatient'), [{ userType: 'Operator', orders: [first, second].map(idOf) }])
  })

  t.test('is written to a file that does not exist', async (t) => {
    const other = join(folder, 'other.json')
    const env = { SUDO_USER: 'sofie' }
    t.match(await operate(url, ['patient', 'export', '-', '--to', other], { input: `${p}\n`, env }), {
      code: 0
    })
    t.equal(JSON.parse(readFileSync(other, 'utf8')).orders.length, 2)
    const records = await sql`select user_id from audit_events where operation = 'exportPatient' order by id`
    t.same(
      records.map(({ user_id }) => user_id),
      [userInfo().username, 'sofie'],
      'the record names the account that ran sudo'
    )
    t.match(await operate(url, ['patient', 'export', p, '--to', file]), { code: 1, output: /exists already/ })
    t.equal(readFileSync(file, 'utf8'), text)
  })

  t.test('leaves no file if it fails', async (t) => {
    const empty = join(folder, 'empty')
    mkdirSync(empty)
    const cases = [
      {
        args: [patient('unknown'), '--to', join(empty, 'x.json')],
        output: /^Nothing was found that names this patient\.\n$/,
        code: 1
      },
      {
        args: [patientSecret, '--to', join(empty, 'x.json')],
        output: /^The patient must be the URL of a clinical Patient(?!.*Zaphod)/s,
        code: 2
      },
      { args: [p, '--to', empty], output: /exists already/, code: 1 },
      { args: [p, '--to', join(empty, 'missing', 'x.json')], output: /ENOENT/, code: 1 },
      { args: [p], output: /^Usage/, code: 2 }
    ]
    for (const { args, output, code } of cases) {
      const result = await operate(url, ['patient', 'export', ...args])
      t.match(result, { code, output })
      t.notMatch(result.output, /Patient\/(?!<id>)/)
    }
    t.same(readdirSync(empty), [], 'nothing is left behind')
  })

  t.test('many rows are read in pages', async (t) => {
    const count = 1201
    const one = { patients: [app.app.audit.patientHash(p)], orders: [null], operation: 'many' }
    for (let at = 0; at < count; at++) await putRow(sql, { ...one, request_id: `many-${at}` })
    const long = join(folder, 'many.json')
    await operate(url, ['patient', 'export', p, '--to', long])
    const { accesses } = JSON.parse(readFileSync(long, 'utf8'))
    const many = accesses.filter((each: { operation: string }) => each.operation === 'many')
    t.equal(new Set(many.map((each: { requestId: string }) => each.requestId)).size, count)
  })
})
