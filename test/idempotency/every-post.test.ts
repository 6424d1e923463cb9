import { randomUUID } from 'node:crypto'
import t from 'tap'
import type { UserType } from '../../src/platform/auth/caller.js'
import { testApp } from '../fixtures/app.js'
import { type Document, operationsOf } from '../fixtures/documents.js'
import { idOf } from '../fixtures/routes/addresses.js'
import { populatedWorld } from '../fixtures/routes/populated-world.js'
import { allRoutes } from '../fixtures/routes/table.js'
import { contentOf } from '../fixtures/routes/writes.js'
import { organization } from '../fixtures/world.js'

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
      409: 'idempotency-key-in-use',
      422: 'idempotency-key-reused'
    }))
      t.ok(operation.responses[status]?.['x-codes']?.includes(code), `${route} documents ${code}`)
    t.ok(operation.responses[409]?.headers?.['Retry-After'], `${route} documents Retry-After`)
  }
}

t.ok(posts.length >= 11, `${posts.length} routes`)
t.same(reading, ['POST /ssl-order/v1/orderability'])
for (const route of reading)
  t.test(`${route} ignores a key`, async (t) => {
    const row = allRoutes[route]
    const { payload } = (await row?.request(g, 'MonitoringResponsible')) ?? {}
    const before = await contentOf(app.sql)
    for (const key of ['same', 'same', 'two words']) {
      const { status } = await g.nurse.send({
        ...{ method: 'POST', url: route.slice('POST '.length), payload: payload as object },
        headers: { 'idempotency-key': key }
      })
      t.equal(status, 200)
    }
    t.same(await contentOf(app.sql), before)
  })
for (const route of posts) {
  const row = allRoutes[route]
  const skip = row?.ok.startsWith('4') === true && 'a distributed database refuses it'
  t.test(`a repeat of ${route} gets the same response and writes nothing`, { skip }, async (t) => {
    if (!row) return t.fail('the route is not in the table of routes')
    const userType = Object.keys(row.who)[0] as UserType
    const caller = app.as(userType, organization(userType === 'Provider' ? 'provider' : 'region'))
    const { payload, headers, of = '' } = await row.request(g, userType)
    const url = route.slice('POST '.length).replace(':id', idOf(of))
    const key = randomUUID()
    const send = () =>
      caller.send({
        method: 'POST',
        url,
        payload: payload as object,
        headers: { ...headers, 'idempotency-key': key }
      })
    const before = await contentOf(app.sql)
    const first = await send()
    t.equal(String(first.status), row.ok.slice(0, 3))
    const after = await contentOf(app.sql)
    t.not(after.idempotency_keys, before.idempotency_keys, 'the result is stored')
    const repeat = await send()
    t.same([repeat.status, repeat.headers.location], [first.status, first.headers.location])
    t.same(repeat.body, first.body)
    t.same(await contentOf(app.sql), after)

    const stored = await app.sql`select from idempotency_keys where result is null`
    t.equal(stored.length, 0, 'no reservation is left')
    const { permission } = row
    const others = app.as(userType, organization('region'), { permissions: [`${permission}.not`] })
    const denied = await others.send({
      method: 'POST',
      url,
      payload: payload as object,
      headers: { ...headers, 'idempotency-key': key }
    })
    t.equal(denied.status, 403, 'access is checked again')
  })
}
