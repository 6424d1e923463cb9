import t from 'tap'
import type { UserType } from '../../src/platform/auth/caller.js'
import { type TestApp, testApp } from '../fixtures/app.js'
import type { ApiResponse } from '../fixtures/callers.js'
import { type Document, operationsOf } from '../fixtures/documents.js'
import { idOf } from '../fixtures/routes/addresses.js'
import { type PopulatedWorld, populatedWorld } from '../fixtures/routes/populated-world.js'
import { json, outcome } from '../fixtures/routes/refusal.js'
import type { Row } from '../fixtures/routes/rows.js'
import { table } from '../fixtures/routes/table.js'
import { catalogue, orders, organization } from '../fixtures/world.js'

/** Every JSON route supports the conditional requests of its method. */

/** Reading the audit record adds to it. */
const isOfRecord = (route: string) => route.includes('/audit-event')
/** Their deliveries change the body at any time, but not the revision. */
const isOfSubscription = (route: string) => route.includes('/subscription')
const revisionOf = ({ etag = '' }: ApiResponse['headers']) => etag.replace(/\..*/, '')
const rows = (methods: string) =>
  Object.entries(table).filter(([route]) => new RegExp(`^(${methods}) `).test(route))

const callerOf = (app: TestApp, { who }: Row, isStranger = false) => {
  const userType = Object.keys(who)[0] as UserType
  const own = userType === 'Provider' ? 'provider' : 'region'
  return {
    userType,
    caller: app.as(userType, organization(isStranger ? `other-${own}` : own))
  }
}

/** The request of a row, and the address of its resource. */
async function requestOf(g: PopulatedWorld, route: string, row: Row, userType: UserType) {
  const [method = '', path = ''] = route.split(' ')
  const { of = '', query = {}, payload } = await row.request(g, userType)
  const search = new URLSearchParams(query).toString()
  const id = of === '' ? String((payload as { id?: string } | undefined)?.id) : idOf(of)
  return {
    method: method as 'GET',
    url: path.replace(/:(id|name)/, id) + (search && `?${search}`),
    resource: `${path.replace('/:id', '')}/${id}`,
    body: payload === undefined ? {} : { payload: JSON.stringify(payload) },
    headers: payload === undefined ? {} : json
  }
}

t.test('every read has a strong tag, and responds with 304 to its repeat', async (t) => {
  const app = await testApp(t)
  const g = await populatedWorld(app)
  for (const [route, row] of rows('GET')) {
    const { caller, userType } = callerOf(app, row)
    const { url } = await requestOf(g, route, row, userType)
    const first = await caller.get(url, 200)
    // Events have codes without displays.
    const vary = route.endsWith('/events') ? /^Authorization$/ : /Accept-Language.*Authorization/
    t.match(first.headers, { etag: /^"[\w-]+\.[\w-]{27}"$/, vary }, route)
    const again = await caller.send({
      ...{ method: 'GET', url, headers: { 'if-none-match': first.headers.etag ?? '' } }
    })
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
  const app = await testApp(t)
  const g = await populatedWorld(app)
  for (const [route, row] of rows('PUT|PATCH|DELETE')) {
    const { caller, userType } = callerOf(app, row)
    const { method, url, resource, body, headers } = await requestOf(g, route, row, userType)
    const send = (who: typeof caller, ifMatch: string) =>
      who.send({ method, url, ...body, headers: { ...headers, 'if-match': ifMatch } })
    const before = (await caller.get(resource, 200)).headers
    const revision = revisionOf(before)
    t.not(revision, '"0', `${route}: the tag has a revision`)
    const stranger = callerOf(app, row, true).caller
    t.equal(outcome(await send(stranger, '"other.tag"')), row.foreign, `${route} by a stranger`)
    t.equal(outcome(await send(caller, '"other.tag"')), '412 precondition-failed', route)
    const after = (await caller.get(resource, 200)).headers
    t.equal(revisionOf(after), revision, `${route} wrote nothing`)
    if (!isOfSubscription(route)) t.equal(after.etag, before.etag, `${route} wrote nothing`)
    t.equal(outcome(await send(caller, `"a", ${revision}.hash"`)), row.ok, `${route} with the tag`)
  }
})

t.test('the documents describe conditional requests', async (t) => {
  const app = await testApp(t)
  for (const api of [catalogue, orders]) {
    const { body } = await app.as().get(`${api}/openapi.json`, 200)
    for (const [name, { parameters = [], responses }] of operationsOf(body as Document)) {
      const has = (header: string) => parameters.some((each) => each.in === 'header' && each.name === header)
      const isRead = name.startsWith('GET ')
      const isChange = /^(PUT|PATCH|DELETE) /.test(name)
      t.equal(has('If-None-Match'), isRead, `${name} If-None-Match`)
      t.equal(responses['304'] !== undefined, isRead, `${name} 304`)
      t.equal(has('If-Match'), isChange, `${name} If-Match`)
      t.equal(responses['412'] !== undefined, isChange, `${name} 412`)
      const preferred = responses['200'] ?? responses['201']
      if (isRead || has('Prefer')) t.ok(preferred?.headers?.ETag, `${name} ETag`)
    }
  }
})
