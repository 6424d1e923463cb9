import t from 'tap'
import { testApp } from '../fixtures/app.js'
import { outcome } from '../fixtures/routes/refusal.js'
import { writingNothing } from '../fixtures/routes/writes.js'
import { catalogue, deviceModel, orders, patient, world } from '../fixtures/world.js'

const check = `${orders}/orderability`

const app = await testApp(t)

t.test('every reason of each item is returned, in the order of the body', async (t) => {
  const w = await world(app)
  const { nurse, buyer, seller, monitor, repair } = w
  const createModel = (list: string, more: object = {}) =>
    w.clerk.create(`${catalogue}/catalogue-item`, deviceModel(list, more))
  const unlisted = await createModel(w.catalogue, { status: 'DISCONTINUED' })
  const foreign = await createModel(await w.addCatalogue({ seller: w.otherSeller, status: 'DRAFT' }))
  await nurse.create(`${catalogue}/black-list`, { patient: patient('p1'), item: repair })
  const items = [foreign, monitor, `${repair}/`, unlisted, w.catalogue, monitor]
  const codesOf = async (more: object) => {
    const { body } = await nurse.post(check, { buyer, patient: patient('p1'), items, ...more }, 200)
    t.same(
      body.map(({ item }: { item: string }) => item),
      items
    )
    return body.map(({ orderable, reasons }: { orderable: boolean; reasons: { code: string }[] }) => {
      t.equal(orderable, reasons.length === 0)
      return reasons.map(({ code }) => code)
    })
  }
  const others = [
    [],
    ['black-listed'],
    ['item-not-available', 'not-white-listed'],
    ['dangling-reference'],
    []
  ]
  t.same(await codesOf({ seller }), [['foreign-item', 'catalogue-not-active', 'not-white-listed'], ...others])
  const own = [['no-contract', 'catalogue-not-active', 'not-white-listed'], ...others]
  t.same(await codesOf({}), own, 'without a seller: that of each item')
  t.same(await codesOf({ seller: null }), own)
  t.same(await codesOf({ seller: w.otherSeller }), [
    ['no-contract', 'catalogue-not-active', 'not-white-listed'],
    ['no-contract', 'foreign-item'],
    ['no-contract', 'foreign-item', 'black-listed'],
    ['no-contract', 'foreign-item', 'item-not-available', 'not-white-listed'],
    ['dangling-reference'],
    ['no-contract', 'foreign-item']
  ])
})

t.test('rejects parties and patients that a new order would not accept', async (t) => {
  const w = await world(app)
  const question = { buyer: w.buyer, seller: w.seller, patient: patient('p1'), items: [w.monitor] }
  await writingNothing(t, app.sql, async () => {
    for (const [more, wanted] of [
      [{}, '200 some'],
      [{ items: [] }, '200 none'],
      [{ buyer: w.otherBuyer }, '422 dangling-reference /buyer'],
      [{ buyer: w.contract }, '422 dangling-reference /buyer'],
      [{ seller: w.buyer }, '422 wrong-role /seller'],
      [{ patient: 'https://fhir.example/Organization/p1' }, '422 dangling-reference /patient'],
      [{ items: Array(1001).fill(w.monitor) }, '400 invalid-body /items']
    ] as const)
      t.equal(outcome(await w.nurse.post(check, { ...question, ...more })), wanted)
    for (const caller of [w.clerk, w.provider])
      t.equal(outcome(await caller.post(check, question)), '403 forbidden')
  })
  await w.nurse.post(check, { ...question, items: Array(1000).fill(w.monitor) }, 200)
})
