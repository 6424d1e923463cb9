import t from 'tap'
import { testApp } from '../fixtures/app.js'
import {
  routesWithBody,
  routesWithResource,
  testFaultyBodies,
  testInvalidJson
} from '../fixtures/faulty-bodies.js'
import { populatedWorld } from '../fixtures/routes/populated-world.js'

t.test('every route refuses every faulty body', async (t) => {
  const app = await testApp(t)
  const g = await populatedWorld(app)
  for (const route of routesWithBody)
    t.test(`${route} refuses invalid JSON`, (t) => testInvalidJson(t, app, g, route))
  for (const route of routesWithResource)
    t.test(`${route} refuses bodies that violate its schema`, (t) =>
      testFaultyBodies(t, app, g, route, (all) => all)
    )
})
