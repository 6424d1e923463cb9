import { randomUUID } from 'node:crypto'
import t from 'tap'
import { testApp } from '../fixtures/app.js'
import { type Document, operationsOf } from '../fixtures/documents.js'
import { populatedWorld } from '../fixtures/routes/populated-world.js'
import { callOf, ownerOrganization } from '../fixtures/routes/rows.js'
import { allRoutes } from '../fixtures/routes/table.js'
import { contentOf } from '../fixtures/routes/writes.js'

const app = await testApp(t)
const g = await populatedWorld(app)

/** Every POST of the documents, such as `POST /ssl-order/v1/order`. */
const posts: string[] = []
/** A POST that only reads has nothing to repeat. */
const reading: string[] = []
for (const api of ['ssl-catalogue', 'ssl-order', 'ssl-catalogue-excel']) {
  const { body } = await app.as().get(`/${api}/v1/openapi.json`, 200)
  for (const [name, operation] of operationsOf(body as Document)) {
    if (!name.startsWith('POST ')) continue
    const route = `POST ${body.basePath}${name.slice('POST '.length)}`
      .replace(/\/$/, '')
      .replace('{id}', ':id')
    const isDocumented = operation.parameters?.some(
      (each) => each.in === 'header' && each.name === 'Idempotency-Key'
    )
    if (allRoutes[route]?.readsOnly) {
      reading.push(route)
      t.notOk(isDocumented, `${route} does not document the header`)
      continue
    }
    posts.push(route)
    t.ok(isDocumented, `${route} documents the header`)
    for (const [status, code] of Object.entries({
      400: 'invalid-idempotency-key',
      422: 'idempotency-key-reused'
    }))
      t.ok(operation.responses[status]?.['x-codes']?.includes(code), `${route} documents ${code}`)
  }
}

t.test('every POST that writes is in the table of routes, and only one POST just reads', async (t) => {
  t.same(
    posts.filter((route) => allRoutes[route] === undefined),
    []
  )
  t.ok(posts.length >= 11, `${posts.length} routes`)
  t.same(reading, ['POST /ssl-order/v1/orderability'])
})

for (const [route, row] of Object.entries(allRoutes)) {
  if (!reading.includes(route)) continue
  t.test(`${route} ignores a key`, async (t) => {
    const { request } = await callOf(g, route, row)
    const before = await contentOf(app.sql)
    for (const key of ['same', 'same', 'two words']) {
      const response = await g.nurse.send({ ...request, headers: { 'idempotency-key': key } })
      t.equal(response.status, 200)
    }
    t.same(await contentOf(app.sql), before)
  })
}

for (const [route, row] of Object.entries(allRoutes)) {
  if (!posts.includes(route)) continue
  t.test(`a repeat of ${route} gets the same response and writes nothing`, async (t) => {
    const { userType, request } = await callOf(g, route, row)
    const keyed = { ...request, headers: { ...request.headers, 'idempotency-key': randomUUID() } }
    const caller = app.as(userType, ownerOrganization(userType))
    const before = await contentOf(app.sql)
    const first = await caller.send(keyed)
    t.equal(String(first.status), row.ok.slice(0, 3))
    const after = await contentOf(app.sql)
    t.not(after.idempotency_keys, before.idempotency_keys, 'the result is stored')
    const repeat = await caller.send(keyed)
    t.same([repeat.status, repeat.headers.location], [first.status, first.headers.location])
    t.same(repeat.body, first.body)
    t.same(await contentOf(app.sql), after)

    const withoutPermission = app.as(userType, ownerOrganization(userType), { permissions: [] })
    t.equal((await withoutPermission.send(keyed)).status, 403, 'access is checked again')
  })
}
