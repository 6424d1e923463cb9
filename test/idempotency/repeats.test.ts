import { randomUUID } from 'node:crypto'
import t from 'tap'
import { deleteExpiredKeys } from '../../src/idempotency/plugin.js'
import { testApp } from '../fixtures/app.js'
import { postWithKey } from '../fixtures/callers.js'
import { upload } from '../fixtures/excel/client.js'
import { workbookOf } from '../fixtures/excel/edit.js'
import { encoded } from '../fixtures/issuer.js'
import { outcome } from '../fixtures/routes/refusal.js'
import {
  catalogue,
  deviceModel,
  orders,
  organization,
  pathOf,
  patient,
  replace,
  world
} from '../fixtures/world.js'

const app = await testApp(t)
const { as, sql } = app
const w = await world(app)
const orderUrl = `${orders}/order`
const countOrders = async (name: string) => (await sql`select from orders where name = ${name}`).length
const create = (key: string, more: object, caller = w.nurse) =>
  postWithKey(caller, key, orderUrl, w.draft(more))

t.test('without a key each request creates an order and stores no key', async (t) => {
  const before = await sql`select from idempotency_keys`
  for (let count = 0; count < 2; count++) await w.nurse.post(orderUrl, w.draft({ name: 'twice' }), 201)
  t.equal(await countOrders('twice'), 2)
  t.equal((await sql`select from idempotency_keys`).length, before.length)
})

t.test('another body or URL with the same key is rejected', async (t) => {
  const key = randomUUID()
  t.equal((await create(key, { name: 'first body' })).status, 201)
  t.equal(outcome(await create(key, { name: 'second body' })), '422 idempotency-key-reused')
  const line = { order: w.contract, item: w.monitor, action: 'DELIVER' }
  const other = await postWithKey(w.nurse, key, `${orders}/order-line`, line)
  t.equal(outcome(other), '422 idempotency-key-reused')
  t.equal(await countOrders('second body'), 0)
})

t.test('callers do not share keys', async (t) => {
  const key = randomUUID()
  const callers = [w.nurse, as('MonitoringResponsible', organization('region'), { name: 'Another nurse' })]
  const locations = []
  for (const each of callers) {
    const { status, headers } = await create(key, { name: 'shared key' }, each)
    t.equal(status, 201)
    locations.push(headers.location)
  }
  t.equal(new Set(locations).size, 2)
  const elsewhere = as('MonitoringResponsible', organization('other-region'), { name: 'Nora Nurse' })
  t.equal(
    outcome(await create(key, { name: 'shared key' }, elsewhere)),
    '422 dangling-reference /buyer',
    'for another organization the request runs'
  )
  const asClerk = as('AdministrativeClerk', organization('region'), { name: 'Nora Nurse' })
  const party = { allowedRoles: ['BUYER'], name: 'p', organization: organization('region') }
  t.equal((await postWithKey(asClerk, key, `${orders}/party`, party)).status, 201)
})

t.test('a malformed key is rejected', async (t) => {
  for (const key of ['', 'two words', 'x'.repeat(256), 'tab\tbed', 'blå', 'one, two'])
    t.equal(outcome(await create(key, { name: 'malformed' })), '400 invalid-idempotency-key', key)
  for (const key of ['!', '~'.repeat(255), '"quoted-0"'])
    t.equal((await create(key, { name: 'well-formed' })).status, 201, key)
  t.equal(await countOrders('malformed'), 0)
})

t.test('a token without sub and user_id is rejected with a key', async (t) => {
  const claims = {
    user_type: 'MonitoringResponsible',
    exp: Math.floor(Date.now() / 1000) + 600,
    context: { organization_id: organization('region') },
    realm_access: { roles: ['Order.create'] }
  }
  const tokenOf = (more: object) => `${encoded({ alg: 'none' })}.${encoded({ ...claims, ...more })}.`
  const send = (authorization: string, headers: object) =>
    as().post(orderUrl, w.draft({ name: 'nobody' }), undefined, { authorization, ...headers })
  const key = { 'idempotency-key': randomUUID() }
  t.equal(outcome(await send(tokenOf({}), key)), '400 invalid-idempotency-key')
  t.equal((await send(tokenOf({}), {})).status, 201, 'without a key it is accepted')
  t.equal((await send(tokenOf({ sub: 's' }), key)).status, 201)
  t.equal((await send(tokenOf({ sub: 's', iss: 'another' }), key)).status, 201)
  t.equal(await countOrders('nobody'), 3, 'the same subject of another issuer is another caller')
})

t.test('a rejected request leaves its key unused', async (t) => {
  const key = randomUUID()
  const status = { status: 'SUBMITTED' }
  for (let count = 0; count < 2; count++)
    t.equal(outcome(await create(key, { name: 'corrected', ...status })), '422 not-initial-status /status')
  t.equal((await create(key, { name: 'corrected' })).status, 201)
})

t.test('other methods ignore the header', async (_t) => {
  const order = await w.createDraft()
  const key = { 'idempotency-key': 'one, two' }
  for (let count = 0; count < 2; count++)
    await w.nurse.patch(pathOf(order), [replace('/priority', true)], 204, key)
})

t.test('a repeat is rejected when its caller no longer sees the created resource', async (t) => {
  t.test('a deleted draft', async (t) => {
    const key = randomUUID()
    const { headers } = await create(key, { name: 'deleted' })
    await w.nurse.delete(pathOf(headers.location ?? ''), 204)
    t.equal(outcome(await create(key, { name: 'deleted' })), '404 not-found')
  })

  t.test('items of a catalogue that now has another seller', async (t) => {
    const list = { seller: w.seller, name: 'Sold', status: 'ACTIVE' }
    const sold = await w.clerk.create(`${catalogue}/catalogue`, list)
    const items = [1, 2].map((at) => deviceModel(sold, { name: `Scale ${at}`, model: `S${at}` }))
    const key = randomUUID()
    const send = () => postWithKey(w.provider, key, `${catalogue}/catalogue-items`, items)
    const first = await send()
    t.equal(outcome(first), '201 some')
    t.same((await send()).body, first.body)
    await w.clerk.put(pathOf(sold), { ...list, seller: w.otherSeller }, 204)
    t.equal(outcome(await send()), '404 not-found')
  })
})

t.test('a repeat is recorded in the audit record', async (t) => {
  const key = randomUUID()
  const { headers } = await create(key, { name: 'audited' })
  await create(key, { name: 'audited' })
  const id = headers.location?.split('/').at(-1) ?? ''
  const rows = await sql`
    select operation, problem from audit_events where orders @> array[${id}]::uuid[] order by recorded`
  t.same(rows, [
    { operation: 'createOrder', problem: null },
    { operation: 'createOrder', problem: null }
  ])
})

t.test('the table contains no data of a patient, a caller or a key', async (t) => {
  const key = `Zaphod-4711-${randomUUID()}`
  const receiver = { name: 'Zaphod-4711', phone: '12345678', patient: patient('Zaphod-4711') }
  const { headers } = await create(key, { receiver, notes: [{ note: 'Rasmus' }] })
  await postWithKey(w.nurse, `${key}-2`, `${catalogue}/black-list`, {
    patient: patient('Zaphod-4711'),
    item: w.monitor
  })
  const rows = await sql<{ text: string; result: object }[]>`
    select encode(id, 'escape') || encode(request, 'escape') || k::text as text, result
    from idempotency_keys k`
  t.ok(rows.length > 1)
  for (const { text, result } of rows) {
    t.notMatch(text, /Zaphod|Rasmus|fhir|Nora|region|ssl-order/)
    t.same(Object.keys(result), ['ids'])
  }
  t.ok(rows.some(({ text }) => text.includes(headers.location?.split('/').at(-1) ?? '')))
})

t.test('imports', async (t) => {
  const workbook = (name: string) =>
    workbookOf({
      Catalogue: [
        ['Name', 'Seller'],
        [name, 'provider']
      ],
      Devices: [
        ['Identifier system 1', 'Identifier 1', 'Name', 'Manufacturer', 'Model'],
        ['urn:no', 'D-1', 'Device', 'Maker', 'M']
      ]
    })
  const send = (file: Buffer, key: string, query = '') =>
    upload(w.provider, 'POST', `/catalogue${query}`, file, { 'idempotency-key': key })

  t.test('a repeat in another form gets the same report', async (t) => {
    const [key, file] = [randomUUID(), await workbook('Report')]
    const first = await send(file, key)
    t.match(first, { status: 201, body: { created: 1 } })
    const repeat = await send(file, key)
    t.same([repeat.status, repeat.headers.location], [201, first.headers.location])
    t.same(repeat.body, first.body)
    t.equal((await sql`select from catalogues where name = 'Report'`).length, 1)
    t.equal(outcome(await send(await workbook('Other'), key)), '422 idempotency-key-reused')
  })

  t.test('a dry run and a faulty workbook leave the key unused', async (t) => {
    const [key, file] = [randomUUID(), await workbook('Dry run')]
    for (let count = 0; count < 2; count++) t.equal((await send(file, key, '?dryRun=true')).status, 200)
    const faulty = await workbookOf({
      Catalogue: [
        ['Name', 'Seller'],
        ['', 'provider']
      ]
    })
    for (let count = 0; count < 2; count++) t.match(outcome(await send(faulty, key)), /^422 faulty-workbook/)
    t.equal((await send(file, key)).status, 201)
  })
})

t.test('keys older than 24 hours are deleted', async (t) => {
  const key = randomUUID()
  await create(key, { name: 'forgotten' })
  const age = (interval: string) =>
    sql`update idempotency_keys set created_at = now() - ${interval}::text::interval`
  await age('23 hours 59 minutes')
  t.equal(await deleteExpiredKeys(app.app.db), 0)
  t.equal((await create(key, { name: 'forgotten' })).status, 201)
  t.equal(await countOrders('forgotten'), 1)
  await age('24 hours 1 minute')
  t.equal((await create(key, { name: 'made again' })).status, 201, 'also before it is deleted')
  await sql`
    insert into idempotency_keys (id, request, result, created_at)
    select int8send(n), '', '{}', now() - interval '25 hours' from generate_series(1, 2500) n`
  t.ok((await deleteExpiredKeys(app.app.db)) > 2500, 'in several statements')
  t.equal((await sql`select from idempotency_keys`).length, 1, 'the present key stays')
})
