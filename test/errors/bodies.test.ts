import type { InjectOptions } from 'fastify'
import t from 'tap'
import { testApp } from '../fixtures/app.js'
import { oneOfEach } from '../fixtures/breadth.js'
import {
  routesWithBody,
  routesWithResource,
  testFaultyBodies,
  testInvalidJson
} from '../fixtures/faulty-bodies.js'
import { bodies } from '../fixtures/routes/bodies.js'
import { populatedWorld } from '../fixtures/routes/populated-world.js'
import { json, outcome, payloadOf, refused } from '../fixtures/routes/refusal.js'
import { writingNothing } from '../fixtures/routes/writes.js'
import { catalogue, orders, pathOf } from '../fixtures/world.js'

/** The method, and whether the body is an array. */
const kindOf = (route: string) => `${route.split(' ')[0]} ${/items$/.test(route)}`

t.test('bodies', async (t) => {
  const app = await testApp(t)
  const g = await populatedWorld(app)
  const full = bodies(g)
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

  t.test('nesting up to the limit', async (t) => {
    const deep = (open: string, close: string, inside = '1') =>
      open.repeat(100_000) + inside + close.repeat(100_000)
    const nests = [
      deep('[', ']'),
      deep('[', ']', '"\\u0041"'),
      deep('{"a":', '}'),
      deep('{"a":', '}', '"\\u0041"')
    ]
    for (const [at, nest] of nests.entries()) {
      const operation = (op: string, path: string) => `[{"op":"${op}","path":"${path}","value":${nest}}]`
      const party: InjectOptions = {
        method: 'POST',
        url: `${orders}/party`,
        headers: json,
        payload: `{"name":${nest}}`
      }
      t.match(outcome(await g.clerk.send(party)), /^400 /, `a member, ${at}`)
      for (const [op, path] of [
        ['add', '/name'],
        ['replace', '/receiver'],
        ['test', '/receiver'],
        ['add', '/notes/-']
      ]) {
        const payload = operation(op ?? '', path ?? '')
        const response = await g.nurse.send({ method: 'PATCH', url: pathOf(g.order), headers: json, payload })
        t.match(outcome(response), /^4\d\d /, `${op} ${path}, ${at}`)
      }
    }
  })

  for (const route of routesWithResource)
    t.test(`${route} refuses bodies that violate its schema`, (t) =>
      testFaultyBodies(t, app, g, route, (all) => oneOfEach(all, ({ rule }) => rule))
    )

  t.test('too large', async (t) => {
    const order = `${orders}/order`
    const note = (note: string) => ({ ...full[order], notes: [{ note }] })
    const text = (size: number) => 'x'.repeat(size)
    const [items, item] = [`${catalogue}/catalogue-items`, full[`${catalogue}/catalogue-item`]]
    const post = (url: string, body: unknown): InjectOptions => ({ method: 'POST', url, ...payloadOf(body) })
    const many = (length: number, each: unknown) => Array.from({ length }, () => each)
    const status = (value: unknown) => post(order, { ...full[order], status: value })
    const padded = (size: number) => post(items, [{ ...item, description: text(size) }])
    await writingNothing(t, app.sql, async () => {
      await refused(t, g.nurse, [
        ['a body over 1 MiB', post(order, { name: text(1_048_576) }), '413 payload-too-large'],
        [
          'a patch over 1 MiB',
          { ...post(pathOf(g.order), [text(1_048_576)]), method: 'PATCH' },
          '413 payload-too-large'
        ],
        ['a name over 4,000', post(order, { ...full[order], name: text(4001) }), '400 invalid-body /name'],
        ['a code over 255', status(text(256)), '400 invalid-body /status'],
        ['a code of 255', status(text(255)), '422 unknown-coding /status'],
        [
          'a coding’s code over 255',
          status({ system: 's', code: text(256) }),
          '400 invalid-body /status/code'
        ],
        [
          'a coding’s system over 2,048',
          status({ system: text(2049), code: 'DRAFT' }),
          '400 invalid-body /status/system'
        ],
        [
          'a reference over 2,048',
          post(order, { ...full[order], buyer: text(2049) }),
          '400 invalid-body /buyer'
        ],
        ['a note over 10,000', post(order, note(text(10_001))), '400 invalid-body /notes/0/note'],
        [
          'over 1,000 notes',
          post(order, { ...full[order], notes: many(1001, { note: '' }) }),
          '400 invalid-body /notes'
        ]
      ])
      await refused(t, g.clerk, [
        ['a bulk over 10 MiB', padded(10_485_760), '413 payload-too-large'],
        ['a bulk over 1 MiB with too long a text', padded(2_000_000), '400 invalid-body /0/description'],
        ['over 5,000 items', post(items, many(5001, {})), '400 invalid-body'],
        [
          'over 1,000 buyers',
          post(`${orders}/contract`, { ...full[`${orders}/contract`], buyer: many(1001, g.buyer) }),
          '400 invalid-body /buyer'
        ]
      ])
    })
    const admitted = { ...full[order], name: text(4000), notes: [{ note: text(10_000) }] }
    t.equal((await g.nurse.post(order, admitted)).status, 201, 'the maximum is accepted')
  })
})
