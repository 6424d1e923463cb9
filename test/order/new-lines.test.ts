import t from 'tap'
import { testApp, testWorld } from '../fixtures/app.js'
import { outcome } from '../fixtures/routes/refusal.js'
import { writingNothing } from '../fixtures/routes/writes.js'
import {
  catalogue,
  deviceModel,
  orders,
  organization,
  pathOf,
  patient,
  transitionTo,
  world
} from '../fixtures/world.js'

const app = await testApp(t)

t.test('an order is created with its lines', async (t) => {
  const { w } = await testWorld(t)
  const lines = [
    { item: w.monitor, action: 'DELIVER' },
    { id: null, status: 'submitted', item: `${w.repair}/`, action: 'repair' },
    { status: null, item: w.monitor, action: 'TRAINING' }
  ]
  const together = await w.nurse.create(`${orders}/order`, w.draft({ orderLines: lines }))
  const apart = await w.createDraft()
  for (const line of lines) await w.nurse.create(`${orders}/order-line`, { order: apart, ...line })

  interface Traced {
    text: string
    supplementaryText: string
  }
  const shape = async (order: string) => {
    const { body } = await w.nurse.get(`${pathOf(order)}/details`, 200)
    const { id, number, created, updated, ...members } = body.order
    return {
      ...members,
      lines: body.orderLines.map(({ id, order, ...line }: Record<string, unknown>) => line),
      trace: body.traceLines.map(({ text, supplementaryText }: Traced) => [text, supplementaryText])
    }
  }
  const made = await shape(together)
  t.same(made, await shape(apart), 'as lines that are created one by one')
  t.same(
    made.lines.map((line: { status: { code: string }; item: string; action: { code: string } }) => [
      line.status.code,
      line.item,
      line.action.code
    ]),
    [
      ['UNFULFILLED', w.monitor, 'DELIVER'],
      ['SUBMITTED', w.repair, 'REPAIR'],
      ['UNFULFILLED', w.monitor, 'TRAINING']
    ],
    'in the order of the body'
  )
  await w.nurse.patch(pathOf(together), transitionTo('SUBMITTED'), 204)
})

t.test('an order with a faulty line is not created, and every fault is located', async (t) => {
  const w = await world(app)
  const { nurse, monitor, repair } = w
  const good = { item: monitor, action: 'DELIVER' }
  const unlisted = await w.clerk.create(
    `${catalogue}/catalogue-item`,
    deviceModel(w.catalogue, { status: 'UNAVAILABLE' })
  )
  await nurse.create(`${catalogue}/black-list`, { patient: patient('p1'), item: repair })
  const refuse = async (body: object, wanted: [code: string, pointer: string][]) => {
    const { status, body: answer } = await nurse.post(`${orders}/order`, body)
    t.ok(status === 422 || status === 400, JSON.stringify(answer))
    const found = answer.errors.map(({ code, pointer }: { code: string; pointer: string }) => [code, pointer])
    t.same(found.sort(), [...wanted].sort())
    t.equal(answer.code === 'invalid-body' || answer.code === answer.errors[0].code, true)
  }
  const withLines = (...orderLines: object[]) => w.draft({ orderLines })
  await writingNothing(t, app.sql, async () => {
    await refuse(withLines(good, { ...good, item: w.catalogue, action: 'FLY', status: 'FULFILLED' }), [
      ['not-initial-status', '/orderLines/1/status'],
      ['unknown-coding', '/orderLines/1/action'],
      ['dangling-reference', '/orderLines/1/item']
    ])
    await refuse({ ...withLines({ ...good, status: 'LOST' }), buyer: w.otherBuyer, seller: w.buyer }, [
      ['dangling-reference', '/buyer'],
      ['wrong-role', '/seller'],
      ['unknown-coding', '/orderLines/0/status']
    ])
    await refuse(
      withLines(
        { ...good, item: repair },
        good,
        { ...good, item: unlisted },
        { item: repair, action: 'REPAIR' }
      ),
      [
        ['black-listed', '/orderLines/0/item'],
        ['item-not-available', '/orderLines/2/item'],
        ['not-white-listed', '/orderLines/2/item'],
        ['black-listed', '/orderLines/3/item']
      ]
    )
    await refuse({ ...withLines(good), seller: w.otherSeller }, [
      ['no-contract', '/seller'],
      ['foreign-item', '/orderLines/0/item']
    ])
    await refuse(withLines({ ...good, order: w.contract }), [['unknown-field', '/orderLines/0/order']])
    await refuse(withLines(...Array(101).fill(good)), [['max-items', '/orderLines']])
  })
  await nurse.create(`${orders}/order`, withLines(...Array(100).fill(good)))
})

t.test('lines of a new order require the permission for lines', async (t) => {
  const w = await world(app)
  const limited = app.as('MonitoringResponsible', organization('region'), { permissions: ['Order.create'] })
  const orderLines = [{ item: w.monitor, action: 'DELIVER' }]
  await writingNothing(t, app.sql, async () => {
    t.equal(outcome(await limited.post(`${orders}/order`, w.draft({ orderLines }))), '403 forbidden')
    t.equal(
      outcome(await w.otherNurse.post(`${orders}/order`, w.draft({ orderLines }))),
      '422 dangling-reference /buyer'
    )
  })
  await limited.create(`${orders}/order`, w.draft({ orderLines: [] }))
  await limited.create(`${orders}/order`, w.draft({ orderLines: null }))
})
