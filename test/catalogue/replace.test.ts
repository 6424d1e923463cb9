import t from 'tap'
import { testWorld } from '../fixtures/app.js'
import { unknownId } from '../fixtures/routes/addresses.js'
import { outcome } from '../fixtures/routes/refusal.js'
import { catalogue, deviceModel, pathOf, service } from '../fixtures/world.js'

const { w } = await testWorld(t)
const { clerk, provider, monitor, repair, seller, otherSeller } = w
const id = pathOf(w.catalogue).split('/').at(-1)
const status = { system: 'https://valuesets.example/vs/catalogue-status', code: 'ACTIVE' }
const whole = { seller, name: 'Renamed', status }
const device = deviceModel(w.catalogue, { name: 'New name' })

t.test('a catalogue is replaced, also by its own representation', async (t) => {
  await provider.put(`${catalogue}/catalogue`, { id, ...whole }, 204)
  const { body } = await clerk.get(pathOf(w.catalogue), 200)
  t.equal(body.name, 'Renamed')
  await clerk.put(pathOf(w.catalogue), body, 204)
})

t.test('a faulty replacement is rejected', async (t) => {
  const foreign = await clerk.create(`${catalogue}/catalogue`, { seller: otherSeller, name: 'Foreign' })
  const list = `${catalogue}/catalogue`
  const moved = { ...device, catalogue: foreign }
  for (const [by, url, body, refusal] of [
    [clerk, list, whole, '400 invalid-body /id'],
    [clerk, pathOf(w.catalogue), { id: unknownId, ...whole }, '400 conflicting-ids'],
    [clerk, list, { id: unknownId, ...whole }, '404 not-found'],
    [clerk, list, { id: 'x', ...whole }, '404 not-found'],
    [clerk, pathOf(monitor), service(w.catalogue), '422 fixed-type /catalogueItemType'],
    [clerk, pathOf(monitor), moved, '422 fixed-seller /catalogue'],
    [provider, pathOf(monitor), moved, '422 dangling-reference /catalogue']
  ] as const)
    t.equal(outcome(await by.put(url, body)), refusal, `${url} ${JSON.stringify(body)}`)
})

t.test('a catalogue keeps its seller while items of another catalogue relate to it', async (t) => {
  const elsewhere = await clerk.create(`${catalogue}/catalogue`, { seller, name: 'Second' })
  await clerk.put(pathOf(monitor), { ...device, catalogue: elsewhere }, 204)
  t.equal((await clerk.get(pathOf(repair), 200)).body.relatedTo, monitor)
  const response = await clerk.put(pathOf(w.catalogue), { ...whole, seller: otherSeller })
  t.equal(outcome(response), '422 fixed-seller /seller')
})
