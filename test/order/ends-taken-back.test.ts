import t from 'tap'
import { testApp } from '../fixtures/app.js'
import { deliverLine, lineTrace, read, submittedLine } from '../fixtures/devices.js'
import { idOf, idsOf } from '../fixtures/routes/addresses.js'
import { outcome } from '../fixtures/routes/refusal.js'
import { add, orders, pathOf, transitionTo, type World, world } from '../fixtures/world.js'

/* Ends of use that lines made and took back. A recall must find exactly the device at home. */

const app = await testApp(t)
const fulfil = transitionTo('FULFILLED')
const end = (reason: string) => [add('/device/endReason', reason)]
const remove = [{ op: 'remove', path: '/device/endReason' }]
const takeBack = [{ op: 'remove', path: '/relatedDevice/endReason' }]
const numbers = [add('/device', { udi: '(01)05712345000014(10)L-R(21)S-R' })]

/** A world with a delivered device, and functions for the lines about it. */
async function home() {
  const w = await world(app)
  const old = await deliverLine(w, numbers)
  const about = (action: string) => submittedLine(w, { action, relatedTo: old })
  const patch = (line: string, operations: object[]) => w.provider.patch(pathOf(line), operations, 204)
  const done = async (action: string, ...report: object[]) => {
    const line = await about(action)
    await patch(line, [...fulfil, ...report])
    return line
  }
  return { w, old, about, patch, done, state: () => stateOf(w, old) }
}

/** The end of a device. While the device is in use, a recall finds it by each of its numbers. */
async function stateOf(w: World, line: string): Promise<string | null> {
  const { device } = await read(w.nurse, line)
  for (const by of [w.nurse, w.provider])
    for (const query of ['lotNumber=l-r', 'gtin=5712345000014', 'udi=(01)05712345000014(10)L-R(21)S-R']) {
      const { body } = await by.get(`${orders}/order-lines?inUse=true&${query}`, 200)
      t.equal(idsOf(body).includes(idOf(line)), device.until === null, `${query} finds what is in use`)
    }
  return device.endReason?.code ?? null
}

t.test('a second pick-up ends the use that the first one took back', async (t) => {
  const { w, old, about, patch, done, state } = await home()
  const second = await about('PICKUP')
  const first = await done('PICKUP')
  t.equal(await state(), 'RETURNED')
  await patch(first, takeBack)
  t.equal(await state(), null)
  await patch(second, fulfil)
  t.equal(await state(), 'RETURNED')
  t.equal(outcome(await w.provider.patch(pathOf(first), takeBack)), '409 device-ended /0')
  await patch(second, takeBack)
  t.equal(await state(), null, 'the end of the first stays taken back')
  await w.nurse.patch(pathOf(old), end('LOST'), 204)
  await w.nurse.patch(pathOf(old), remove, 204)
  t.equal(await state(), null)
})

t.test('after a take-back a second fulfilled line does not end the device', async (t) => {
  const { patch, done, about, state } = await home()
  const [first, second] = [await about('PICKUP'), await about('PICKUP')]
  for (const line of [first, second]) await patch(line, fulfil)
  await patch(first, takeBack)
  t.equal(await state(), null, 'the provider said last that the device is at home')
  await patch(second, takeBack)
  await done('PICKUP')
  t.equal(await state(), 'RETURNED', 'a further pick-up ends it')
})

t.test(
  'a replacement that took its end back does not end the use when its correction is removed',
  async (t) => {
    const { w, old, patch, done, state } = await home()
    const replacement = await done('REPLACE')
    t.equal(await state(), 'REPLACED')
    await patch(replacement, takeBack)
    t.equal(await state(), null)
    for (const reason of [null, 'LOST']) {
      if (reason) await w.nurse.patch(pathOf(old), end(reason), 204)
      await patch(replacement, end('ENTERED_IN_ERROR'))
      t.equal(await state(), reason)
      await patch(replacement, remove)
      t.equal(await state(), reason)
    }
    await w.nurse.patch(pathOf(old), remove, 204)
    t.equal(await state(), null)
    const trace = (await lineTrace(w.nurse, replacement)).map(({ supplementaryText }) => supplementaryText)
    t.equal(trace.filter((text) => text === 'Reason: REPLACED.').length, 1, 'it ended the use once')
  }
)

t.test('a mistake of a replacement leaves the end that another line made later', async (t) => {
  const { patch, done, about, state } = await home()
  const pickup = await about('PICKUP')
  const replacement = await done('REPLACE')
  await patch(replacement, takeBack)
  await patch(pickup, fulfil)
  t.equal(await state(), 'RETURNED')
  for (const change of [end('ENTERED_IN_ERROR'), remove]) {
    await patch(replacement, change)
    t.equal(await state(), 'RETURNED')
  }
  await patch(pickup, takeBack)
  t.equal(await state(), null)
})

t.test('a reported time may equal the time of the submission, but not be in the future', async (t) => {
  const { w, old, about, patch, state } = await home()
  const line = await about('REPLACE')
  const [row] = await app.sql`select submitted_at as at from order_lines where id = ${idOf(line)}`
  const { from } = (await read(w.nurse, old)).device
  const later = new Date(Date.now() + 3_600_000).toISOString()
  t.equal(
    outcome(await w.provider.patch(pathOf(line), [...fulfil, add('/performedAt', later)])),
    '422 invalid-period /1/value'
  )
  await patch(line, [...fulfil, add('/performedAt', row?.at.toISOString())])
  t.equal(await state(), 'REPLACED')
  const { until } = (await read(w.nurse, old)).device
  t.equal(until, row?.at.toISOString())
  t.ok(until >= from)
  await patch(line, end('ENTERED_IN_ERROR'))
  t.equal(await state(), null)
  await patch(line, remove)
  t.equal((await read(w.nurse, old)).device.until, until, 'the end is at the reported time again')
})
