import t from 'tap'
import { type UserType, userTypes } from '../../src/platform/auth/caller.js'
import { testApp } from '../fixtures/app.js'
import { idOf, methods, pathsOf, publicPaths, unknownId } from '../fixtures/routes/addresses.js'
import { annotation, device, moreDevices, party } from '../fixtures/routes/bodies.js'
import { populatedWorld } from '../fixtures/routes/populated-world.js'
import { outcome } from '../fixtures/routes/refusal.js'
import type { Row, Wish } from '../fixtures/routes/rows.js'
import { allRoutes as table } from '../fixtures/routes/table.js'
import {
  catalogue,
  moveTo,
  orders,
  organization,
  pathOf,
  patient,
  type World,
  world
} from '../fixtures/world.js'

/** Sets of permissions that suffice for a route, and sets that do not, such as all others. */
function grants({
  permission,
  also = [],
  alternatives = []
}: Row): [name: string, permissions: string[], enough: boolean][] {
  const [resource = '', verb = ''] = permission.split('.')
  const resources = [...new Set(Object.values(table).map((row) => row.permission.split('.')[0] ?? ''))]
  const verbs = ['read', 'create', 'update', 'delete']
  const all = resources.flatMap((each) => [
    ...verbs.map((name) => `${each}.${name}`),
    `${each}.*`,
    `${each}.write`
  ])
  const isAlternative = (name: string) => alternatives.includes(name.split('.')[0] ?? '')
  const wider = [permission, `${resource}.*`, ...(verb === 'read' ? [] : [`${resource}.write`])]
  const odd = ['*', '*.*', `*.${verb}`, resource, `${resource}.`, permission.toLowerCase(), ` ${permission}`]
  return [
    ...wider.map((name): [string, string[], boolean] => [name, [name, ...also], true]),
    ...also.map((one): [string, string[], boolean] => [
      `without ${one}`,
      [permission, ...also.filter((each) => each !== one)],
      false
    ]),
    ['nothing', [], false],
    [
      'everything else',
      [...all.filter((name) => !wider.includes(name) && !isAlternative(name)), ...odd],
      false
    ],
    ...alternatives.map((name): [string, string[], boolean] => [`${name} instead`, [`${name}.read`], true])
  ]
}

const permissionsOf = ({ permission, also = [] }: Row) => [permission, ...also]

const organizationsOf = (userType: UserType): Record<string, string | undefined> =>
  userType === 'Provider'
    ? {
        own: organization('provider'),
        foreign: organization('other-provider'),
        buying: organization('region')
      }
    : {
        own: organization('region'),
        foreign: organization('other-region'),
        selling: organization('provider')
      }

function expected({ who, ok, foreign }: Row, userType: UserType, org: string, enough: boolean): string {
  const reach = who[userType]
  if (reach === undefined || !enough || (reach === 'own' && org === 'none')) return '403 forbidden'
  const isNational = reach === 'administered' && org === 'none'
  return reach === 'any' || isNational || org === 'own' ? ok : foreign
}

function addressOf(route: string, { of = '', query = {} }: Wish): { method: string; url: string } {
  const [method = '', path = ''] = route.split(' ')
  const search = new URLSearchParams(query).toString()
  return { method, url: path.replace(/:(id|name)/, idOf(of)) + (search && `?${search}`) }
}

t.test('every route enforces user type, permission and organization', async (t) => {
  const app = await testApp(t)
  const g = await populatedWorld(app)

  async function call(route: string, row: Row, userType: UserType, wish: object): Promise<string> {
    const { payload, headers = {}, ...rest } = await row.request(g, userType)
    const { method, url } = addressOf(route, rest)
    const { organization, ...more } = wish as { organization?: string; permissions?: string[] }
    const caller = app.as(userType, organization, more)
    const response = await caller.send({
      method: method as 'GET',
      url,
      ...(payload ? { payload: payload as object, headers } : {})
    })
    const result = outcome(response)
    return row.alternatives ? result.replace(/^200 .*/, '200') : result
  }

  const responses: Record<string, string> = {}
  for (const path of pathsOf(app.app))
    for (const method of methods) {
      const url = path.replace(/:(id|name)/, unknownId).replace('*', '/static/swagger-ui.css')
      const { statusCode: status, headers } = await app.app.inject({ method: method as 'GET', url })
      if (status === 401)
        t.match(headers['www-authenticate'], /^Bearer/, `${method} ${path} names the missing permission`)
      if (status !== 405 && status !== 404) responses[`${method} ${path}`] = status === 401 ? 'token' : 'open'
    }
  const withHead = (route: string, need: string) =>
    [route, route.replace(/^GET/, 'HEAD')].map((each): [string, string] => [each, need])
  t.same(
    responses,
    Object.fromEntries([
      ...Object.keys(table).flatMap((route) => withHead(route, 'token')),
      ...publicPaths.flatMap((path) => withHead(`GET ${path}`, 'open'))
    ]),
    'the table has every route, and only public routes are open without a token'
  )

  const called = Object.entries(table).filter(
    ([route, row]) => responses[route] === 'token' && !row.isPersonal
  )
  for (const [route, row] of called) {
    const [got, wanted]: Record<string, string>[] = [{}, {}]
    if (!got || !wanted) return
    for (const userType of userTypes)
      for (const [org, organization] of Object.entries({ ...organizationsOf(userType), none: undefined }))
        for (const [name, permissions, enough] of grants(row).slice(0, org === 'own' ? undefined : 1)) {
          const caller = `${userType}, ${org} organization, ${name}`
          got[caller] = await call(route, row, userType, { organization, permissions })
          wanted[caller] = expected(row, userType, org, enough)
        }
    t.same(got, wanted, route)
  }
})

t.test('a refusal does not reveal existence', async (t) => {
  const app = await testApp(t)
  const g = await populatedWorld(app)
  const denied = (row: Row): [string, UserType, string | undefined, string[]][] => [
    ...userTypes.flatMap((as): [string, UserType, string, string[]][] =>
      row.who[as] ? [] : [[`403 ${as}`, as, organization('region'), permissionsOf(row)]]
    ),
    ...userTypes.flatMap((as): [string, UserType, string | undefined, string[]][] => [
      [`403 ${as} without permission`, as, organization('region'), []],
      ...(row.who[as] === 'own'
        ? ([[`403 ${as} without organization`, as, undefined, permissionsOf(row)]] as [
            string,
            UserType,
            undefined,
            string[]
          ][])
        : []),
      ...(row.who[as] === 'own' || row.who[as] === 'administered'
        ? ([[`404 ${as} of another organization`, as, organization('elsewhere'), permissionsOf(row)]] as [
            string,
            UserType,
            string,
            string[]
          ][])
        : [])
    ])
  ]
  for (const [route, row] of Object.entries(table).filter(([route]) => route.includes('/:id')))
    for (const [what, as, org, permissions] of denied(row)) {
      const { of, payload, headers = {} } = await row.request(g, as)
      const bodies = []
      for (const id of [of, unknownId, what.startsWith('403') ? 'no-id' : unknownId]) {
        const { method, url } = addressOf(route, { of: id ?? '' })
        const sent = {
          method: method as 'GET',
          url,
          ...(payload ? { payload: payload as object, headers } : {})
        }
        const { status, body } = await app.as(as, org, { permissions }).send(sent)
        bodies.push({ ...body, status, instance: undefined })
      }
      const [existing, ...others] = bodies
      t.equal(String(existing?.status), what.slice(0, 3), `${route} ${what}`)
      for (const other of others) t.same(other, existing, `${route} ${what}: alike`)
    }
  for (const [field, foreign, unknown] of [
    ['buyer', g.otherBuyer, `${new URL(g.buyer).origin}${orders}/party/${unknownId}`],
    [
      'seller',
      g.buyer.replace(idOf(g.buyer), unknownId),
      `https://elsewhere.example${orders}/party/${unknownId}`
    ]
  ] as const) {
    const [one, two] = [
      await g.nurse.post(`${orders}/order`, g.draft({ [field]: foreign })),
      await g.nurse.post(`${orders}/order`, g.draft({ [field]: unknown }))
    ]
    t.same({ ...two.body, instance: '' }, { ...one.body, instance: '' }, `a foreign ${field} looks missing`)
  }
})

t.test('restricted members', async (t) => {
  const app = await testApp(t)
  const g = await populatedWorld(app)

  t.test('a provider never sees a draft', async (t) => {
    const order = await g.createDraft()
    const line = await g.addLine(order)
    const query = `?order=${encodeURIComponent(order)}`
    const [trace] = (await g.nurse.get(`${orders}/trace-lines${query}`, 200)).body
    for (const path of [
      pathOf(order),
      `${pathOf(order)}/details`,
      pathOf(line),
      `${orders}/trace-line/${trace.id}`
    ])
      t.equal((await g.provider.get(path)).status, 404, path)
    for (const path of [pathOf(order), pathOf(line)])
      t.equal((await g.provider.patch(path, moveTo('FULFILLED'))).status, 404, `PATCH ${path}`)
    for (const path of ['trace-lines', 'order-lines', 'order-line'])
      t.equal(outcome(await g.provider.get(`${orders}/${path}${query}`)), '200 none', path)
    for (const query of ['', '?status=DRAFT', `?seller=${encodeURIComponent(g.seller)}`]) {
      const { status, body } = await g.provider.get(`${orders}/orders${query}`)
      t.equal(status, 200)
      t.notOk(JSON.stringify(body).includes(idOf(order)), `orders${query}`)
    }
    await g.nurse.patch(pathOf(order), moveTo('CANCELLED'), 204)
    t.equal((await g.provider.get(pathOf(order))).status, 404, 'not a draft cancelled before submission')
  })

  t.test('items include annotations only for callers that may read them', async (t) => {
    const own = {
      buyer: g.buyer,
      name: 'place',
      value: { system: 'http://snomed.info/sct', code: '19892000' }
    }
    const items = ['CatalogueItem.*']
    const cases: [UserType, string, string[], object, string][] = [
      ['AdministrativeClerk', 'region', [...items, 'Annotation.create'], own, '201'],
      ['AdministrativeClerk', 'region', items, own, '403 forbidden'],
      ['AdministrativeClerk', 'region', [...items, 'Annotation.read'], own, '403 forbidden'],
      ['Provider', 'provider', [...items, 'Annotation.*'], own, '403 forbidden'],
      [
        ...(['AdministrativeClerk', 'region', [...items, 'Annotation.*']] as [
          'AdministrativeClerk',
          string,
          string[]
        ]),
        { ...own, buyer: g.otherBuyer },
        '422 dangling-reference /annotations/0/buyer'
      ]
    ]
    for (const [as, org, permissions, each, wanted] of cases) {
      const caller = app.as(as, organization(org), { permissions })
      const body = { ...device(g), annotations: [each] }
      t.equal(outcome(await caller.post(`${catalogue}/catalogue-item`, body)), wanted, `${as} ${permissions}`)
    }
    const url = `${catalogue}/catalogue-items?buyer=${encodeURIComponent(g.buyer)}`
    for (const permissions of [items, [...items, 'Annotation.read']]) {
      const { body } = await app
        .as('MonitoringResponsible', organization('region'), { permissions })
        .get(url, 200)
      t.equal('annotations' in body[0], permissions.length > 1, `shown with ${permissions}`)
    }
    await g.provider.get(`${catalogue}/catalogue-items?annotation=a%3Ab%7Cc`, 403)
  })

  t.test('only MonitoringResponsible names a patient in the item search', async (t) => {
    const url = `${catalogue}/catalogue-items?patient=${encodeURIComponent(patient('p1'))}`
    for (const [caller, status] of [
      [g.clerk, 403],
      [g.provider, 403],
      [g.nurse, 200]
    ] as const)
      t.equal((await caller.get(url)).status, status)
  })

  t.test('nothing moves to or from another organization', async (t) => {
    const otherClerk = app.as('AdministrativeClerk', organization('other-region'))
    const body = annotation(g)
    const cases: [string, () => ReturnType<World['clerk']['get']>, string][] = [
      [
        'taking',
        () => otherClerk.put(pathOf(g.annotation), { ...body, buyer: g.otherBuyer }),
        '404 not-found'
      ],
      [
        'giving',
        () => g.clerk.put(pathOf(g.annotation), { ...body, buyer: g.otherBuyer }),
        '422 dangling-reference /buyer'
      ],
      [
        'giving a catalogue',
        () => g.provider.put(pathOf(g.catalogue), { ...moreDevices(g), seller: g.otherSeller }),
        '422 dangling-reference /seller'
      ],
      [
        'taking a catalogue',
        () => g.otherProvider.put(pathOf(g.catalogue), { ...moreDevices(g), seller: g.otherSeller }),
        '404 not-found'
      ],
      ['giving an order', () => patchBuyer(g), '422 dangling-reference /buyer'],
      [
        'moving a party',
        () => g.clerk.put(pathOf(g.buyer), { ...party('other-region'), allowedRoles: ['BUYER'] }),
        '422 fixed-organization /organization'
      ]
    ]
    for (const [what, run, wanted] of cases) t.equal(outcome(await run()), wanted, what)
  })
})

const patchBuyer = async (g: World) =>
  g.nurse.patch(pathOf(await g.createDraft()), [{ op: 'replace', path: '/buyer', value: g.otherBuyer }])

t.test('access rules cannot be bypassed', async (t) => {
  const app = await testApp(t)
  const { buyer } = await world(app)
  const id = idOf(buyer)
  const sneaky: [url: string, headers?: Record<string, string>][] = [
    [`/${orders}/party/${id}`],
    [`${orders}/party/${id}/`],
    [`${orders}//party/${id}`],
    [`${orders}/docs/../party/${id}`],
    [`${orders}/docs/%2e%2e/party/${id}`],
    [`${orders}/docs/static/..%2f..%2fparty/${id}`],
    [`${orders}/docs/static/..%2f..%2f..%2f..%2fpackage.json`],
    [`${orders}/docs/static/%2e%2e/%2e%2e/package.json`],
    [`${orders}/party/${id};/docs`],
    [`${orders}/party/${id}?/docs`],
    [`${orders.toUpperCase()}/party/${id}`],
    [`/v1/party/${id}`, { host: 'ssl-order.example' }],
    ['/live', { host: 'ssl-order.example' }],
    [`${orders}/party/${id}`, { 'x-forwarded-user': 'admin', cookie: 'token=x' }],
    [`${orders}/party/${id}`, { 'x-original-url': '/health/live', 'x-http-method-override': 'OPTIONS' }]
  ]
  for (const [url, headers = {}] of sneaky) {
    const { status, body } = await app.as().send({ method: 'GET', url, headers })
    t.ok([400, 401, 403, 404].includes(status), `GET ${url} ${JSON.stringify(headers)}: ${status}`)
    t.notMatch(JSON.stringify(body), /"name"|dependencies/, 'nothing is given away')
  }
  const caller = app.as('AdministrativeClerk', organization('region'))
  const host = { host: 'ssl-order.example' }
  const response = await caller.send({ method: 'GET', url: `/v1/party/${id}`, headers: host })
  t.equal(response.status, 200, 'host addressing reaches the same route, with a token')
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
