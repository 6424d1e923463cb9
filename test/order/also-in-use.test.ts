import t from 'tap'
import { testWorld } from '../fixtures/app.js'
import type { Caller } from '../fixtures/callers.js'
import { plantDelivery } from '../fixtures/devices.js'
import { idOf } from '../fixtures/routes/addresses.js'
import { add, orders, pathOf, patient, replace } from '../fixtures/world.js'

/* The hint that another patient has a device with the same serial number. */

const { app, w } = await testWorld(t)
const { nurse, provider } = w
const p2 = patient('p2')
const scale = await w.addModel({ model: 'UC-352' })
const namesake = await w.addModel({ manufacturer: 'Another manufacturer', model: 'UA-767' })

const hintOf = async (caller: Caller, { line }: { line: string }) =>
  (await caller.get(pathOf(line), 200)).body.device.alsoInUse ?? false

t.test('both lines show it while both devices are in use', async (t) => {
  const one = await plantDelivery(app, w, { serial: 'A1' })
  t.equal(await hintOf(provider, one), false)
  const other = await plantDelivery(app, w, { patient: p2 })
  const patch = [add('/device', { serialNumber: 'A1' })]
  const written = await provider.patch(pathOf(other.line), patch, 200, { prefer: 'return=representation' })
  t.equal(written.body.device.alsoInUse, true, 'in the response to the provider that writes the number')
  for (const caller of [nurse, provider])
    for (const line of [one, other]) t.equal(await hintOf(caller, line), true)
  const { body, headers: before } = await provider.get(pathOf(one.line), 200)
  t.notMatch(JSON.stringify(body), /p2|Patient/, 'it does not tell who')
  const listed = (await nurse.get(`${orders}/order-lines?serialNumber=A1`, 200)).body
  t.same(
    listed.map(({ device }: { device: { alsoInUse: boolean } }) => device.alsoInUse),
    [true, true]
  )
  const whole = [replace('/device', { ...body.device, lotNumber: 'L' })]
  t.equal((await provider.patch(pathOf(one.line), whole)).status, 204, 'a device can be sent back with it')
  await nurse.patch(pathOf(other.line), [add('/device/endReason', 'LOST')], 204)
  for (const line of [one, other]) t.equal(await hintOf(provider, line), false)
  t.not((await provider.get(pathOf(one.line), 200)).headers.etag, before.etag)
})

t.test('ignores other models, the same patient, and devices that are not in use', async (t) => {
  const one = await plantDelivery(app, w, { serial: 'B1' })
  for (const item of [scale, namesake]) await plantDelivery(app, w, { serial: 'B1', item, patient: p2 })
  await plantDelivery(app, w, { serial: 'B1' })
  await plantDelivery(app, w, { serial: 'B1', patient: p2, ended: 'RETURNED' })
  await plantDelivery(app, w, { patient: p2 })
  t.equal(await hintOf(provider, one), false)
  t.equal(await hintOf(provider, await plantDelivery(app, w, {})), false, 'without a number')
})

t.test('the same model in the catalogue of another seller counts', async (t) => {
  const one = await plantDelivery(app, w, { serial: 'C1' })
  const other = await plantDelivery(app, w, { serial: 'C1', item: scale, patient: p2 })
  const [stored] = await app.sql`select model from devices where line_id = ${idOf(one.line)}`
  await app.sql`update devices set model = ${stored?.model} where line_id = ${idOf(other.line)}`
  t.equal(await hintOf(nurse, one), true)
})

t.test('hides the devices of other organizations from both sides', async (t) => {
  const one = await plantDelivery(app, w, { serial: 'D1' })
  await plantDelivery(app, w, { serial: 'D1', patient: p2, buyer: w.otherBuyer, seller: w.otherSeller })
  for (const caller of [nurse, provider]) t.equal(await hintOf(caller, one), false)
  await plantDelivery(app, w, { serial: 'D1', patient: p2, buyer: w.otherBuyer })
  t.equal(await hintOf(nurse, one), false, 'the seller alone delivered both')
  t.equal(await hintOf(provider, one), true)
})
