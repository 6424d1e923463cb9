import t from 'tap'
import { testApp } from '../fixtures/app.js'
import { type PlantedDevice, plantDelivery } from '../fixtures/devices.js'
import { backdate, operate, patientSecret, plantOrder } from '../fixtures/operator.js'
import { idOf, idsOf } from '../fixtures/routes/addresses.js'
import { asServerRole } from '../fixtures/server-role.js'
import { countWaiting, until } from '../fixtures/waiting.js'
import { orders, pathOf, patient, transitionTo, world } from '../fixtures/world.js'

const p = patient('old')
const command = ['retention', 'orders', '--closed-months', '12']

t.test('orders closed long ago, and all that belongs to them,', async (t) => {
  const app = await testApp(t)
  const { sql, databaseUrl } = app
  const w = await world(app)
  const [old, recent, open] = [
    await plantOrder(w, p),
    await plantOrder(w, p),
    await plantOrder(w, p, { isOpen: true })
  ]
  const draft = await w.createDraft()
  await w.nurse.delete(pathOf(draft), 204)
  await sql`update orders set deleted_at = now() - interval '13 months' where id = ${idOf(draft)}`
  await backdate(sql, 13, idOf(old))
  await backdate(sql, 11, idOf(recent))
  await backdate(sql, 13, idOf(open))
  await sql`insert into reminders (subject_id, kind, due_at)
    select id, 'LATE', now() from orders union all select id, 'DELIVERY_DUE', now() from order_lines`
  const rowsOf = async (table: string, column = 'order_id') =>
    (await sql.unsafe(`select distinct ${column} as id from ${table} order by 1`)).map(({ id }) => id)
  const kept = [recent, open].map(idOf).sort()
  await sql`update devices set used_until = now(), end_reason = 'RETURNED'`

  t.test('are counted without --confirm', async (t) => {
    t.match(await operate(databaseUrl, command), {
      code: 0,
      output: /^Would remove 2 orders\. Nothing was removed/
    })
    t.equal((await rowsOf('orders', 'id')).length, 4)
    t.equal((await sql`select from audit_events where operation = 'previewOrderRetention'`).length, 1)
  })

  t.test('are removed once', async (t) => {
    const remove = () => operate(databaseUrl, [...command, '--confirm'])
    t.same(await remove(), { code: 0, output: 'Removed 2 orders.\n' })
    t.same(await rowsOf('orders', 'id'), kept)
    t.same(await rowsOf('order_lines'), kept)
    t.same(await rowsOf('trace_lines'), kept)
    const reminded = await sql`
      select subject_id as id from reminders where kind = 'LATE' or subject_id in (select id from order_lines) order by 1`
    t.same(
      await rowsOf('reminders', 'subject_id'),
      reminded.map(({ id }) => id)
    )
    t.equal(reminded.length, 4, 'of two orders and their lines')
    t.same(await remove(), { code: 0, output: 'Removed 0 orders.\n' })
    const { body } = await w.nurse.get(`${orders}/order`, 200)
    t.same(idsOf(body).sort(), kept, 'the API serves the others')
  })

  t.test('are named in the record of their removal, with hashes of their patients', async (t) => {
    const records =
      await sql`select user_type, orders, patients from audit_events where operation = 'removeOldOrders'`
    t.same(records.flatMap(({ orders }) => orders).sort(), [old, draft].map(idOf).sort())
    for (const { user_type } of records) t.equal(user_type, 'Operator')
    t.notMatch(JSON.stringify(records), Buffer.from(p).toString('hex'))
  })
})

t.test('orders whose device is in use', async (t) => {
  const app = await testApp(t)
  const { sql, databaseUrl } = app
  const w = await world(app)
  const closed = async (device: PlantedDevice) => {
    const { order } = await plantDelivery(app, w, device)
    await backdate(sql, 13, idOf(order))
    return idOf(order)
  }
  const inUse = await closed({})
  const longInUse = await closed({})
  const ended = await closed({ ended: 'LOST' })
  const recent = await plantDelivery(app, w)
  await sql`update devices set used_from = now() - interval '25 months' where order_id = ${longInUse}`
  const stored = async () => ({
    orders: (await sql`select id from orders order by 1`).map(({ id }) => id),
    devices: (await sql`select order_id as id from devices order by 1`).map(({ id }) => id)
  })
  const all = [inUse, longInUse, ended, idOf(recent.order)].sort()
  const run = (...more: string[]) => operate(databaseUrl, [...command, ...more])

  t.test('stay and are counted', async (t) => {
    const wouldRemove = /^Would remove 1 order\. .*\n2 orders with a device in use stay\.\n$/
    t.match(await run(), { code: 0, output: wouldRemove })
    t.same(await stored(), { orders: all, devices: all })
    t.match(await run('--confirm'), {
      code: 0,
      output: 'Removed 1 order.\n2 orders with a device in use stay.\n'
    })
    const left = all.filter((id) => id !== ended)
    t.same(await stored(), { orders: left, devices: left })
  })

  t.test('stay for a number of months', async (t) => {
    const limit = ['--in-use-months', '24']
    t.match(await run(...limit), {
      output: /^Would remove 1 order\. .*\n1 order with a device in use stays\.\n$/
    })
    t.match(await run(...limit, '--confirm'), { code: 0, output: /^Removed 1 order\.\n1 order with/ })
    const left = [inUse, idOf(recent.order)].sort()
    t.same(await stored(), { orders: left, devices: left })
    t.match(await run('--in-use-months', '0'), { code: 2, output: /^--in-use-months must be a whole number/ })
    t.match(await run('--in-use-months'), { code: 2, output: /^Usage: .* --closed-months <n> / })
  })
})

t.test('a delivery and the pick-up of its device are removed separately', async (t) => {
  const app = await testApp(t)
  const { sql, databaseUrl } = app
  const w = await world(app)
  const fetched = async () => {
    const { order, line } = await plantDelivery(app, w)
    const pickUp = await w.createDraft()
    const fetching = await w.addLine(pickUp, { action: 'PICKUP', relatedTo: line })
    await w.nurse.patch(pathOf(pickUp), transitionTo('SUBMITTED'), 204)
    await w.provider.patch(pathOf(fetching), transitionTo('FULFILLED'), 204)
    return { order, line, pickUp, fetching }
  }
  const [one, other] = [await fetched(), await fetched()]
  await backdate(sql, 13, idOf(one.pickUp))
  await backdate(sql, 13, idOf(other.order))
  t.match(await operate(databaseUrl, [...command, '--confirm']), { code: 0, output: 'Removed 2 orders.\n' })

  const { body: delivered } = await w.nurse.get(pathOf(one.line), 200)
  t.match(delivered, { device: { endReason: { code: 'RETURNED' }, until: String } }, 'the end stays')
  const { body: left } = await w.nurse.get(pathOf(other.fetching), 200)
  t.match(left, { status: { code: 'FULFILLED' }, relatedTo: null, relatedDevice: null })
  const { body: lines } = await w.nurse.get(`${orders}/order-lines?inUse=false`, 200)
  t.same(idsOf(lines), [idOf(one.line)])
  await w.nurse.get(`${pathOf(other.pickUp)}/details`, 200)
})

t.test('an order whose device comes into use again during its removal stays', async (t) => {
  const app = await testApp(t)
  const { sql, databaseUrl } = app
  const { order } = await plantDelivery(app, await world(app), { ended: 'RETURNED' })
  await backdate(sql, 13, idOf(order))
  let ended: Promise<unknown> = Promise.resolve()
  await sql.begin(async (tx) => {
    await tx`update devices set used_until = null, end_reason = null`
    ended = operate(databaseUrl, [...command, '--confirm'])
    await Promise.race([ended, until(async () => (await countWaiting(sql)) > 0)])
  })
  t.same(await ended, { code: 0, output: 'Removed 0 orders.\n1 order with a device in use stays.\n' })
  t.equal((await sql`select from devices`).length, 1)
})

t.test('the serving role can neither remove nor erase data', async (t) => {
  const { databaseUrl, sql } = await testApp(t)
  for (const args of [
    command,
    [...command, '--confirm'],
    ['retention', 'audit', '--months', '1', '--confirm'],
    ['retention', 'events', '--confirm'],
    ['patient', 'erase', p, '--confirm'],
    ['patient', 'replace', '--from', p, '--to', patient('other')]
  ])
    t.match(await operate(asServerRole(databaseUrl), args), {
      code: 1,
      output: /^The role \w+ may not do this\. Set DATABASE_URL to the owner of the tables, the role \w+\.\n$/
    })
  t.equal((await sql`select from audit_events where user_type = 'Operator'`).length, 0)
})

t.test('wrong arguments are rejected before a connection is opened', async (t) => {
  const usage = /^Usage: node dist\/program\/main\.js operator (?!.*Zaphod).*\(--help .*\)\n$/
  const allCommands = /<command>, one of retention audit, .*, patient erase, .*, check \(/
  const cases: { args: string; output: RegExp; code?: number }[] = [
    { args: 'retention', output: allCommands },
    { args: `patient ${patientSecret}`, output: usage },
    { args: 'retention orders', output: / operator retention orders --closed-months <n> .* \(/ },
    { args: 'retention orders', output: usage },
    { args: 'retention orders --closed-months', output: usage },
    { args: 'retention orders --closed-months 1.5', output: /whole number/ },
    {
      args: 'retention orders --closed-months 0',
      output: /^--closed-months must be a whole number from 1 to 1200/
    },
    { args: 'retention audit --months -1', output: usage },
    { args: 'retention patients --months 1', output: usage },
    { args: `patient erase ${patientSecret} --sure`, output: usage },
    { args: 'patient toString', output: usage },
    { args: 'check extra', output: /^Usage: .* operator check \(/ },
    { args: 'retention orders --closed-months 12', output: /^Set DATABASE_URL/, code: 1 }
  ]
  for (const { args, output, code = 2 } of cases)
    t.match(await operate('', args.split(' ')), { code, output }, args)
})
