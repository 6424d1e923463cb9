import t from 'tap'
import { testLostWrites, writingRoutes } from '../fixtures/lost-writes.js'

t.test('the response to a write whose connection is lost, of every route', async (t) => {
  t.ok(writingRoutes.length > 20, `${writingRoutes.length} routes write`)
  await testLostWrites(t, writingRoutes)
})
