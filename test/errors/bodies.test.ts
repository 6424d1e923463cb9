import t from 'tap'
import { testApp } from '../fixtures/app.js'
import { oneOfEach } from '../fixtures/breadth.js'
import {
  routesWithBody,
  routesWithResource,
  testFaultyBodies,
  testInvalidJson
} from '../fixtures/faulty-bodies.js'
import { populatedWorld } from '../fixtures/routes/populated-world.js'
import { json, outcome } from '../fixtures/routes/refusal.js'
import { catalogue, orders, pathOf } from '../fixtures/world.js'

/** The method, and whether the body is an array. */
const kindOf = (route: string) => `${route.split(' ')[0]} ${/items$/.test(route)}`

t.test('bodies', async (t) => {
  const app = await testApp(t)
  const g = await populatedWorld(app)
  for (const route of oneOfEach(routesWithBody, kindOf))
    t.test(`${route} refuses invalid JSON`, (t) => testInvalidJson(t, app, g, route))

  t.test('the last of duplicate members counts', async (t) => {
    const payload = `{"seller":1,"seller":"${g.seller}","name":"One","na\\u006de":null}`
    const response = await g.clerk.send({
      method: 'POST',
      url: `${catalogue}/catalogue`,
      headers: json,
      payload
    })
    t.equal(outcome(response), '400 invalid-body /name')
  })

  t.test('a deep body', async (t) => {
    const nest = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`
    const sent = { headers: json, payload: `{"name":${nest}}` }
    t.equal(
      outcome(await g.clerk.send({ ...sent, method: 'POST', url: `${orders}/party` })),
      '400 malformed-json'
    )
    const payload = `[{"op":"test","path":"/receiver","value":${nest}}]`
    const patched = await g.nurse.send({ ...sent, method: 'PATCH', url: pathOf(g.order), payload })
    t.equal(outcome(patched), '400 malformed-json')
  })

  for (const route of routesWithResource)
    t.test(`${route} refuses bodies that violate its schema`, (t) => testFaultyBodies(t, app, g, route))
})
