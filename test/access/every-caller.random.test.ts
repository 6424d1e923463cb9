import t from 'tap'
import { testApp } from '../fixtures/app.js'
import { attemptRoute, attemptsOf } from '../fixtures/routes/attempts.js'
import { populatedWorld } from '../fixtures/routes/populated-world.js'
import { allRoutes } from '../fixtures/routes/table.js'

/** Long, because some routes import a workbook for each caller. */
t.test('every route enforces user type, permission and organization, for every kind of caller', async (t) => {
  const app = await testApp(t)
  const g = await populatedWorld(app)
  for (const [route, row] of Object.entries(allRoutes)) {
    const outcomes: Record<string, string> = {}
    for (const attempt of attemptsOf(row))
      outcomes[attempt.what] = await attemptRoute(app, g, route, row, attempt)
    t.same(outcomes, Object.fromEntries(attemptsOf(row).map(({ what, wanted }) => [what, wanted])), route)
  }
})
