import t, { type Test } from 'tap'
import { testWorld } from '../fixtures/app.js'
import { newDevice } from '../fixtures/routes/bodies.js'
import { outcome } from '../fixtures/routes/refusal.js'
import { writingNothing } from '../fixtures/routes/writes.js'
import { catalogue } from '../fixtures/world.js'

const { app, w } = await testWorld(t)
const { clerk, nurse, buyer, otherBuyer, monitor, repair } = w

/** Creates resources at once, and reads each. */
async function creates(t: Test, list: string, sent: object[]): Promise<void> {
  const { body } = await clerk.post(`${catalogue}/${list}s`, sent, 201)
  t.match(body, sent)
  for (const each of body) t.same((await clerk.get(`${catalogue}/${list}/${each.id}`, 200)).body, each)
}

/** Asserts that creates are rejected, with the pointers of all their errors, and write nothing. */
const refuses = (t: Test, list: string, cases: { sent: object[]; refusal: string }[]): Promise<void> =>
  writingNothing(t, app.sql, async () => {
    for (const { sent, refusal } of cases) {
      const { status, body } = await clerk.post(`${catalogue}/${list}s`, sent)
      const pointers = body.errors.map(({ pointer }: { pointer: string }) => pointer)
      t.equal([status, body.code, ...pointers.sort()].join(' '), refusal, JSON.stringify(sent))
    }
  })

t.test('white list entries are created at once, all or none', async (t) => {
  const items = [await newDevice(w), await newDevice(w), await newDevice(w)]
  await creates(
    t,
    'white-list',
    items.map((item) => ({ buyer, item }))
  )
  await creates(t, 'white-list', [])
  const valid = { buyer, item: await newDevice(w) }
  const foreign = { ...valid, buyer: otherBuyer }
  await refuses(t, 'white-list', [
    { sent: [valid, { buyer, item: monitor }], refusal: '409 duplicate-entry /1' },
    { sent: [valid, valid, valid], refusal: '409 duplicate-entry /1 /2' },
    { sent: [valid, { buyer, item: buyer }, foreign], refusal: '422 dangling-reference /1/item /2/buyer' },
    { sent: [{ ...valid, buyer: w.seller }, valid], refusal: '422 wrong-role /0/buyer' },
    { sent: [valid, { buyer }], refusal: '400 invalid-body /1/item' }
  ])
  const url = `${catalogue}/white-lists`
  t.equal(outcome(await clerk.post(url, valid)).slice(0, 16), '400 invalid-body')
  t.equal(outcome(await nurse.post(url, [valid])), '403 forbidden')
})

t.test('annotations are created at once, all or none', async (t) => {
  const value = { system: 'http://snomed.info/sct', code: '258057004' }
  const of = (catalogueItem: string, name: string) => ({ catalogueItem, buyer, name, value })
  await creates(t, 'annotation', [
    of(monitor, 'ehealth/device-type'),
    of(repair, 'place'),
    of(monitor, 'place')
  ])
  const valid = of(monitor, 'new')
  const foreign = { ...valid, buyer: otherBuyer }
  await refuses(t, 'annotation', [
    { sent: [valid, of(monitor, 'place')], refusal: '409 duplicate-annotation /1' },
    { sent: [valid, valid], refusal: '409 duplicate-annotation /1' },
    { sent: [valid, of(monitor, 'ehealth/device-safety')], refusal: '422 unknown-coding /1/value' },
    {
      sent: [of(buyer, 'new'), valid, foreign],
      refusal: '422 dangling-reference /0/catalogueItem /2/buyer'
    },
    { sent: [valid, of(monitor, 'a|b')], refusal: '400 invalid-body /1/name' }
  ])
})
