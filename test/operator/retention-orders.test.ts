import t from 'tap'
import { testApp } from '../fixtures/app.js'
import { backdate, operate, plantOrder, secret, skip } from '../fixtures/operator.js'
import { idOf } from '../fixtures/routes/addresses.js'
import { asServerRole } from '../fixtures/server-role.js'
import { orders, pathOf, patient, world } from '../fixtures/world.js'

const p = patient('old')
const command = ['retention', 'orders', '--closed-months', '12']

t.test('orders closed long ago, and all that belongs to them,', { skip }, async (t) => {
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
  const rowsOf = async (table: string, column = 'order_id') =>
    (await sql.unsafe(`select distinct ${column} as id from ${table} order by 1`)).map(({ id }) => id)
  const kept = [recent, open].map(idOf).sort()

  t.test('are counted without --confirm', async (t) => {
    t.match(await operate(databaseUrl, command), {
      code: 0,
      output: /^Would remove 2 orders with 1 line and 6 trace lines\. Nothing was removed/
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
    t.same(await remove(), { code: 0, output: 'Removed 0 orders.\n' })
    const { body } = await w.nurse.get(`${orders}/order`, 200)
    t.same(body.map(({ id }: { id: string }) => id).sort(), kept, 'the API serves the others')
  })

  t.test('are named by the record of their removal, their patients by hashes', async (t) => {
    const [record] =
      await sql`select user_type, orders, patients from audit_events where operation = 'removeOldOrders'`
    t.match(record, { user_type: 'Operator', orders: [old, draft].map(idOf) })
    t.notMatch(JSON.stringify(record), Buffer.from(p).toString('hex'))
  })
})

t.test('the serving role may neither remove nor erase anything', { skip }, async (t) => {
  const { databaseUrl, sql } = await testApp(t)
  for (const args of [
    command,
    [...command, '--confirm'],
    ['retention', 'audit', '--months', '1', '--confirm'],
    ['retention', 'events', '--confirm'],
    ['patient', 'erase', p, '--confirm']
  ])
    t.match(await operate(asServerRole(databaseUrl), args), {
      code: 1,
      output: /^The role \w+ may not do this\. Set DATABASE_URL to the owner of the tables, the role \w+\.\n$/
    })
  t.equal((await sql`select from audit_events where user_type = 'Operator'`).length, 0)
})

t.test('wrong arguments are refused before a connection is opened', async (t) => {
  const usage = /^Usage(?!.*Zaphod)/s
  const cases = [
    { args: 'retention orders', output: usage },
    { args: 'retention orders --closed-months', output: usage },
    { args: 'retention orders --closed-months 1.5', output: /whole number/ },
    {
      args: 'retention orders --closed-months 0',
      output: /^--closed-months must be a whole number from 1 to 1200/
    },
    { args: 'retention audit --months -1', output: usage },
    { args: 'retention patients --months 1', output: usage },
    { args: `patient erase ${secret} --sure`, output: usage },
    { args: 'patient toString', output: usage },
    { args: 'retention orders --closed-months 12', output: /^Set DATABASE_URL/ }
  ]
  for (const { args, output } of cases) t.match(await operate('', args.split(' ')), { code: 1, output }, args)
})
