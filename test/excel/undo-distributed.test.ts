import t from 'tap'
import { testApp } from '../fixtures/app.js'
import { devices, historyOf, imported, itemsOf, obstaclesOf, undo } from '../fixtures/excel/undo.js'
import { world } from '../fixtures/world.js'

t.test('a distributed database undoes no import', async (t) => {
  const app = await testApp(t)
  // It is, if the tests run on a cluster.
  app.app.isDistributed = true
  const { clerk } = await world(app)
  const made = await imported(clerk, { Devices: devices('A') })
  const before = await itemsOf(clerk, made.catalogue)
  t.match(await historyOf(clerk, made.catalogue), [{ id: made.import, undoable: false }])
  const refused = await undo(clerk, made.import)
  t.equal(refused.status, 409)
  t.same(obstaclesOf(refused), ['distributed'])
  t.same(await itemsOf(clerk, made.catalogue), before)
})
