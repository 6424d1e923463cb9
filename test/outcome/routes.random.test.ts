import t from 'tap'
import { testLostWrites, writingRoutes } from '../fixtures/lost-writes.js'

t.test('the response of every route to a write whose connection is lost', async (t) => {
  t.ok(writingRoutes.length > 20, `${writingRoutes.length} routes write`)
  await testLostWrites(t, writingRoutes)
})
