import { randomUUID } from 'node:crypto'
import type { InjectOptions } from 'fastify'
import t from 'tap'
import { type UserType, userTypes } from '../../src/platform/auth/caller.js'
import { secondServer, testApp } from '../fixtures/app.js'
import { plantDelivery } from '../fixtures/devices.js'
import { idOf, methods, pathsOf, publicPaths, unknownId } from '../fixtures/routes/addresses.js'
import { attemptRoute, attemptsOf } from '../fixtures/routes/attempts.js'
import { populatedWorld } from '../fixtures/routes/populated-world.js'
import { outcome } from '../fixtures/routes/refusal.js'
import { callOf } from '../fixtures/routes/rows.js'
import { allRoutes } from '../fixtures/routes/table.js'
import { recordStatements } from '../fixtures/sent-statements.js'
import { orders, organization, pathOf } from '../fixtures/world.js'

const app = await testApp(t)
const g = await populatedWorld(app)

t.test('the table has every route, and only public routes are open without a token', async (t) => {
  const responses: Record<string, string> = {}
  for (const path of pathsOf(app.app))
    for (const method of methods) {
      const url = path.replace(/:(id|name)/, unknownId).replace('*', '/static/swagger-ui.css')
      const { statusCode: status, headers } = await app.app.inject({ method: method as 'GET', url })
      if (status === 401) t.match(headers['www-authenticate'], /^Bearer/, `${method} ${path} has a challenge`)
      if (status !== 405 && status !== 404) responses[`${method} ${path}`] = status === 401 ? 'token' : 'open'
    }
  const withHead = (route: string, need: string) =>
    [route, route.replace(/^GET/, 'HEAD')].map((each) => [each, need])
  t.same(
    responses,
    Object.fromEntries([
      ...Object.keys(allRoutes).flatMap((route) => withHead(route, 'token')),
      ...publicPaths.flatMap((path) => withHead(`GET ${path}`, 'open'))
    ])
  )
})

/**
 * One permitted and one rejected caller of each route. The kind of caller differs by route:
 * `every-caller` tries all.
 */
t.test('every route enforces user type, permission and organization', async (t) => {
  const routes = Object.entries(allRoutes).filter(([, row]) => !row.isImport)
  for (const [at, [route, row]] of routes.entries()) {
    const all = attemptsOf(row)
    const permitted = all.filter(({ wanted }) => wanted === row.ok)
    const refused = all.filter(({ wanted }) => wanted !== row.ok)
    for (const attempt of [permitted[at % permitted.length], refused[at % refused.length]])
      if (attempt)
        t.equal(
          await attemptRoute(app, g, route, row, attempt),
          attempt.wanted,
          `${route} by ${attempt.what}`
        )
  }
})

/** Callers of other organizations than those of the populated world. */
const strangers = {
  AdministrativeClerk: 'other-region',
  MonitoringResponsible: 'other-region',
  Provider: 'other-provider'
} as const

t.test('a foreign id and an unknown id cause the same statements', async (t) => {
  // Without targets, deliveries send no statements of their own.
  const { app: quiet, as } = await secondServer(t, app, { EVENT_TARGETS: '' })
  const sent = recordStatements(quiet)
  async function compare(what: string, userType: UserType, request: InjectOptions, id: string) {
    const stranger = as(userType, organization(strangers[userType]))
    const statementsOf = async (options: InjectOptions) => {
      sent.length = 0
      const response = await stranger.send(options)
      const texts = sent
        .map(({ text }) => text)
        .filter((text) => !/organization_replacements|prepare_audit_partitions/.test(text))
      return { outcome: outcome(response), texts }
    }
    const foreign = await statementsOf(request)
    const absent = await statementsOf(JSON.parse(JSON.stringify(request).replaceAll(id, randomUUID())))
    t.same(foreign, absent, `${what} by ${userType}`)
  }

  for (const [route, row] of Object.entries(allRoutes))
    for (const userType of userTypes) {
      if (row.isImport || !row.who[userType] || row.who[userType] === 'any') continue
      const { request, resource } = await callOf(g, route, row, userType)
      const id = idOf(resource)
      if (id !== '') await compare(route, userType, request, id)
    }

  const { order, line } = await plantDelivery(app, g)
  for (const userType of ['MonitoringResponsible', 'Provider'] as const)
    for (const [url, of] of [
      [`${orders}/trace-lines?orderLine=${line}`, line],
      [`${orders}/trace-lines?order=${order}`, order],
      [`${orders}/order-lines?order=${order}`, order],
      [`${orders}/order-lines?relatedTo=${line}`, line],
      [`${orders}/audit-events?order=${order}`, order]
    ] as const)
      await compare(url.replace(/=.*/, ''), userType, { url }, idOf(of))

  const draft = await g.otherNurse.create(`${orders}/order`, g.draft({ buyer: g.otherBuyer }))
  const payload = { order: draft, item: g.monitor, action: 'PICKUP', relatedTo: line }
  const request = { method: 'POST', url: `${orders}/order-line`, payload } as const
  await compare('relatedTo', 'MonitoringResponsible', request, idOf(line))
})

t.test('a route that imports a workbook rejects a caller before it reads the workbook', async (t) => {
  for (const [route, { isImport }] of Object.entries(allRoutes)) {
    if (!isImport) continue
    const [method, path = ''] = route.split(' ')
    const response = await g.nurse.send({ method: method as 'POST', url: path.replace(':id', unknownId) })
    t.equal(outcome(response), '403 forbidden', route)
  }
})

t.test('a slash, an escape, another host or a header bypasses no access rule', async (t) => {
  const id = idOf(g.buyer)
  const host = { host: 'ssl-order.localhost' }
  const sneaky: { url: string; headers?: Record<string, string> }[] = [
    { url: `/${orders}/party/${id}` },
    { url: `${orders}/party/${id}/` },
    { url: `${orders}//party/${id}` },
    { url: `${orders}/docs/../party/${id}` },
    { url: `${orders}/docs/%2e%2e/party/${id}` },
    { url: `${orders}/docs/static/..%2f..%2fparty/${id}` },
    { url: `${orders}/docs/static/..%2f..%2f..%2f..%2fpackage.json` },
    { url: `${orders}/docs/static/%2e%2e/%2e%2e/package.json` },
    { url: `${orders}/party/${id};/docs` },
    { url: `${orders}/party/${id}?/docs` },
    { url: `${orders.toUpperCase()}/party/${id}` },
    { url: `/v1/party/${id}`, headers: host },
    { url: '/live', headers: host },
    { url: `${orders}/party/${id}`, headers: { 'x-forwarded-user': 'admin', cookie: 'token=x' } },
    {
      url: `${orders}/party/${id}`,
      headers: { 'x-original-url': '/health/live', 'x-http-method-override': 'OPTIONS' }
    }
  ]
  for (const { url, headers = {} } of sneaky) {
    const { status, body } = await app.as().send({ method: 'GET', url, headers })
    t.ok([400, 401, 403, 404].includes(status), `GET ${url} ${JSON.stringify(headers)}: ${status}`)
    t.notMatch(JSON.stringify(body), /"name"|dependencies/)
  }
  const clerk = app.as('AdministrativeClerk', organization('region'))
  const withToken = await clerk.send({
    method: 'GET',
    url: `/v1${pathOf(g.buyer).slice(orders.length)}`,
    headers: host
  })
  t.equal(withToken.status, 200, 'with a token the host addresses the same route')
})

t.test('a route without an access rule keeps the server from starting', async (t) => {
  const { app } = await testApp(t)
  app.get('/forgotten', async () => 'open')
  await t.rejects(async () => app.ready(), /without an access rule.*GET \/forgotten/)
})

t.test('a route on patient data without an audit rule keeps the server from starting', async (t) => {
  const { app } = await testApp(t)
  const access = { permission: 'Order.read', scopes: { Provider: 'own-seller' }, patientData: true } as const
  app.get('/declared', { config: { access, audit: {} } }, async () => 'recorded')
  app.get('/undeclared', { config: { access } }, async () => 'recorded')
  await t.rejects(async () => app.ready(), /without an audit rule: [A-Z, /]*GET \/undeclared/)
})
