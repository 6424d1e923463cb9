import t from 'tap'
import { testWorld } from '../fixtures/app.js'
import { pagesAt } from '../fixtures/order-lists.js'
import { idsOf } from '../fixtures/routes/addresses.js'
import { orders, pathOf, patient, transitionTo } from '../fixtures/world.js'

t.test('finds order lines by patient, item, action and status', async (t) => {
  const { w } = await testWorld(t)
  const { nurse, provider, monitor, repair } = w
  const order = async (name: string) => {
    const created = await w.createDraft({
      receiver: { name: 'R', patient: patient(name) },
      orderLines: [
        { item: monitor, action: 'DELIVER' },
        { item: repair, action: 'REPAIR' },
        { item: monitor, action: 'PICKUP' }
      ]
    })
    await nurse.patch(pathOf(created), transitionTo('SUBMITTED'), 204)
    const { body } = await nurse.get(`${pathOf(created)}/details`, 200)
    return idsOf(body.orderLines) as [string, string, string]
  }
  const [delivered, repaired, picked] = await order('p1')
  const [other] = await order('p2')
  const line = (id: string) => `${orders}/order-line/${id}`
  await provider.patch(line(delivered), transitionTo('FULFILLED'), 204)
  await nurse.patch(line(picked), transitionTo('CANCELLED'), 204)
  await provider.patch(line(other), transitionTo('FULFILLED'), 204)

  const list = (query: string) => `${orders}/order-lines?${new URLSearchParams(query)}`
  const found = async (query: string, caller = nurse) => idsOf((await caller.get(list(query), 200)).body)
  const p1 = `patient=${patient('p1')}`
  t.same(await found(p1), [delivered, repaired, picked])
  t.same(await found(`${p1}&action=deliver&status=FULFILLED`), [delivered], 'what was delivered')
  t.same(await found(`${p1}&status=FULFILLED,cancelled`), [delivered, picked])
  t.same(await found(`${p1}&status=FULFILLED&status=CANCELLED`), [delivered, picked])
  t.same(await found(`${p1}&action=DELIVER,REPAIR&status=SUBMITTED`), [repaired])
  t.same(await found(`${p1}&item=${repair}/`), [repaired])
  t.same(await found(`patient=${patient('p2')}/&status=FULFILLED`), [other])
  t.same(await found(`item=${monitor}&status=FULFILLED`), [delivered, other])
  t.same(await found(`${p1}&status=FULFILLED`, provider), [delivered])
  for (const caller of [w.otherNurse, w.otherProvider]) t.same(await found(p1, caller), [])

  const pages = await pagesAt(nurse, list(`${p1}&status=SUBMITTED,FULFILLED,CANCELLED&limit=2`))
  t.notMatch(pages[0]?.headers.link, /Patient/, 'the cursor holds the filters')
  t.same(idsOf(pages.flatMap(({ body }) => body)), [delivered, repaired, picked])
})
