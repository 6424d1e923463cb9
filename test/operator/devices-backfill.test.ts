import t from 'tap'
import { testApp } from '../fixtures/app.js'
import { deliver } from '../fixtures/devices.js'
import { countWaiting } from '../fixtures/distributed.js'
import { backdate, operate } from '../fixtures/operator.js'
import { idOf } from '../fixtures/routes/addresses.js'
import { asServerRole } from '../fixtures/server-role.js'
import { catalogue, moveTo, orders, pathOf, patient, world } from '../fixtures/world.js'

t.test('devices of lines that were fulfilled before devices were recorded', async (t) => {
  const app = await testApp(t)
  const { sql, databaseUrl } = app
  const w = await world(app)
  const unrelated = await w.clerk.create(`${catalogue}/catalogue-item`, {
    catalogueItemType: 'Service',
    catalogue: w.catalogue,
    name: 'Delivery',
    serviceType: 'DELIVER'
  })
  await w.clerk.create(`${catalogue}/white-list`, { buyer: w.buyer, item: unrelated })
  const order = await w.createDraft()
  const add = (item: string, action: string) => w.addLine(order, { item, action })
  const device = await add(w.monitor, 'DELIVER')
  const service = await add(w.repair, 'DELIVER')
  const replaced = await add(w.monitor, 'REPLACE')
  const unknown = await add(unrelated, 'DELIVER')
  const repaired = await add(w.repair, 'REPAIR')
  const cancelled = await add(w.monitor, 'DELIVER')
  await w.nurse.patch(pathOf(order), moveTo('SUBMITTED'), 204)
  for (const line of [device, service, replaced, unknown, repaired])
    await w.provider.patch(pathOf(line), moveTo('FULFILLED'), 204)
  await w.nurse.patch(pathOf(cancelled), moveTo('CANCELLED'), 204)
  await sql`delete from devices`
  const recorded = await deliver(app, w, { serial: 'SN-1', ended: 'RETURNED' })
  const before = await sql`select * from devices`
  const backfill = (url = asServerRole(databaseUrl)) => operate(url, ['devices', 'backfill'])
  const rows = () => sql`select * from devices order by order_id, line_id`

  t.test('are added once, and are not confirmed', async (t) => {
    t.match(await backfill(), {
      code: 0,
      output: /^Added 3 devices of 7 lines; 1 delivered without a known device model\.\n$/
    })
    const [fulfilled] = await sql`select max(timestamp) as at from trace_lines
      where order_line_id = ${idOf(device)} and new_status = 'FULFILLED'`
    const all = await rows()
    const lines = [device, service, replaced, recorded.line].map(idOf)
    t.same(
      all.map(({ line_id }) => line_id),
      lines
    )
    t.match(all[0], {
      order_id: idOf(order),
      buyer_id: idOf(w.buyer),
      seller_id: idOf(w.seller),
      item_id: idOf(w.monitor),
      serial_number: null,
      used_from: fulfilled?.at,
      used_until: null,
      is_confirmed: false
    })
    t.equal(all[1]?.item_id, idOf(w.monitor), 'of the model to which a service belongs')
    t.same(all.slice(3), before, 'one that was recorded stays as it is')
    t.match(await backfill(databaseUrl), { code: 0, output: /^Added 0 devices of 7 lines/ })
    t.same(await rows(), all)
    t.equal((await sql`select from audit_events where operation = 'backfillDevices'`).length, 2)
  })

  t.test('are listed as in use', async (t) => {
    const { body } = await w.nurse.get(
      `${orders}/order-lines?${new URLSearchParams({ patient: patient('p1'), inUse: 'true' })}`,
      200
    )
    t.same(
      body.map(({ id }: { id: string }) => id),
      [device, service, replaced].map(idOf)
    )
  })

  t.test('are added while orders are delivered and old ones removed', async (t) => {
    await sql`delete from devices`
    const old = await deliver(app, w)
    await sql`delete from devices`
    let isDone = false
    const work = (async () => {
      while (!isDone) {
        const { lines } = await w.submitted()
        await w.provider.patch(pathOf(lines[0] ?? ''), moveTo('FULFILLED'), 204)
      }
    })()
    const [one, other] = await Promise.all([backfill(), backfill(databaseUrl)])
    isDone = true
    await work
    for (const { code } of [one, other]) t.equal(code, 0)
    await backfill()
    const [count] = await sql`select count(*)::int as devices, count(distinct line_id)::int as lines,
      (select count(*)::int from order_lines l join catalogue_items i on i.id = l.item_id
        where l.status = 'FULFILLED' and action in ('DELIVER', 'REPLACE')
          and (i.type = 'DeviceModel' or i.related_to_id is not null)) as deliveries from devices`
    t.equal(count?.devices, count?.deliveries)
    t.equal(count?.lines, count?.deliveries)
    t.equal((await sql`select from devices where line_id = ${idOf(old.line)}`).length, 1)
  })
})

const removing = ['retention', 'orders', '--closed-months', '12', '--confirm']

t.test('a line that is being removed gets no device', async (t) => {
  const app = await testApp(t)
  const { sql, databaseUrl } = app
  const w = await world(app)
  const order = idOf((await deliver(app, w)).order)
  await sql`delete from devices`
  await backdate(sql, 13)
  const running: ReturnType<typeof operate>[] = []
  let hasEnded = false
  await sql.begin(async (tx) => {
    await tx`select from orders where id = ${order} for update`
    for (const command of [removing, ['devices', 'backfill']]) {
      running.push(
        operate(databaseUrl, command).finally(() => {
          hasEnded = true
        })
      )
      while (!hasEnded && (await countWaiting(sql)) < running.length);
    }
  })
  const [removal, backfill] = await Promise.all(running)
  t.match(removal, { code: 0, output: 'Removed 1 order.\n' })
  t.match(backfill, { code: 0, output: /^Added 0 devices/ })
  t.equal((await sql`select from devices`).length, 0)
})
