import t from 'tap'
import { testApp } from '../fixtures/app.js'
import type { ApiResponse, Caller } from '../fixtures/callers.js'
import { type Document, operationsOf } from '../fixtures/documents.js'
import { populatedWorld } from '../fixtures/routes/populated-world.js'
import { outcome } from '../fixtures/routes/refusal.js'
import { callOf, ownerOrganization } from '../fixtures/routes/rows.js'
import { table } from '../fixtures/routes/table.js'
import { catalogue, orders, organization } from '../fixtures/world.js'

/** Every JSON route supports the conditional requests of its method. */

/** Each read of the audit record adds a record. */
const isOfRecord = (route: string) => route.includes('/audit-event')
/** Their deliveries change the body at any time, but not the revision. */
const isOfSubscription = (route: string) => route.includes('/subscription')
/** Several resources have no revision in common. */
const isOfSeveral = (route: string) => route.startsWith('PATCH ') && route.endsWith('/order-lines')
const revisionOf = ({ etag = '' }: ApiResponse['headers']) => etag.replace(/\..*/, '')
const rows = (methods: string) =>
  Object.entries(table).filter(([route]) => new RegExp(`^(${methods}) `).test(route))

const app = await testApp(t)
const g = await populatedWorld(app)

t.test('every read has a strong tag, and responds with 304 to its repeat', async (t) => {
  for (const [route, row] of rows('GET')) {
    const { userType, request } = await callOf(g, route, row)
    const { url } = request
    const caller = app.as(userType, ownerOrganization(userType))
    const first = await caller.get(url, 200)
    // Events have codes without displays.
    const vary = route.endsWith('/events') ? /^Authorization$/ : /Accept-Language.*Authorization/
    t.match(first.headers, { etag: /^"[\w-]+\.[\w-]{27}"$/, vary }, route)
    const again = await caller.send({ ...request, headers: { 'if-none-match': first.headers.etag ?? '' } })
    if (isOfRecord(route)) continue
    if (isOfSubscription(route)) {
      t.equal(revisionOf((await caller.get(url, 200)).headers), revisionOf(first.headers), route)
      continue
    }
    t.match(again, { status: 304, body: undefined, headers: { etag: first.headers.etag } }, route)
    for (const name of ['cache-control', 'vary'])
      t.equal(again.headers[name], first.headers[name], `${route} ${name}`)
  }
})

t.test('every change takes If-Match', async (t) => {
  for (const [route, row] of rows('PUT|PATCH|DELETE')) {
    if (isOfSeveral(route)) continue
    const { userType, request, resource } = await callOf(g, route, row)
    const caller = app.as(userType, ownerOrganization(userType))
    const stranger = app.as(
      userType,
      organization(userType === 'Provider' ? 'other-provider' : 'other-region')
    )
    const send = (who: Caller, ifMatch: string) =>
      who.send({ ...request, headers: { ...request.headers, 'if-match': ifMatch } })
    const before = (await caller.get(resource, 200)).headers
    const revision = revisionOf(before)
    t.not(revision, '"0', `${route}: the tag has a revision`)
    t.equal(outcome(await send(stranger, '"other.tag"')), row.foreign, `${route} by a stranger`)
    t.equal(outcome(await send(caller, '"other.tag"')), '412 precondition-failed', route)
    const after = (await caller.get(resource, 200)).headers
    t.equal(revisionOf(after), revision, `${route} wrote nothing`)
    if (!isOfSubscription(route)) t.equal(after.etag, before.etag, `${route} wrote nothing`)
    t.equal(outcome(await send(caller, `"a", ${revision}.hash"`)), row.ok, `${route} with the tag`)
  }
})

t.test('the documents describe conditional requests', async (t) => {
  for (const api of [catalogue, orders]) {
    const { body } = await app.as().get(`${api}/openapi.json`, 200)
    for (const [name, { parameters = [], responses }] of operationsOf(body as Document)) {
      const has = (header: string) => parameters.some((each) => each.in === 'header' && each.name === header)
      const isRead = name.startsWith('GET ')
      const isChange = /^(PUT|PATCH|DELETE) /.test(name) && !isOfSeveral(name)
      t.equal(has('If-None-Match'), isRead, `${name} If-None-Match`)
      t.equal(responses['304'] !== undefined, isRead, `${name} 304`)
      t.equal(has('If-Match'), isChange, `${name} If-Match`)
      t.equal(responses['412'] !== undefined, isChange, `${name} 412`)
      const preferred = responses['200'] ?? responses['201']
      if (isRead || has('Prefer'))
        t.equal(preferred?.headers?.ETag === undefined, isOfSeveral(name), `${name} ETag`)
    }
  }
})
