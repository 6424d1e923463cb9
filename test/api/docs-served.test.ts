import Fastify from 'fastify'
import t from 'tap'

import { openapi } from '../../src/platform/openapi/plugin.js'
import { checkRoutes } from '../../src/platform/rest/route-config.js'
import { errorHandler } from '../../src/platform/server/error-handler.js'
import { testApp, verifyingTokens } from '../fixtures/app.js'
import { publicPaths } from '../fixtures/routes/addresses.js'
import { outcome } from '../fixtures/routes/refusal.js'
import { orders } from '../fixtures/world.js'

const outside = { ...verifyingTokens, ENVIRONMENT: 'prod', TOKEN_AUDIENCE: 'ssl' }
const files = ['docs/static/swagger-ui.css', 'docs/static/swagger-ui-bundle.js', 'docs/']
const documents = [
  ...publicPaths.filter((path) => /\/(docs|openapi\.json|asyncapi\.json)/.test(path) && !path.includes('*')),
  ...files.map((file) => `${orders}/${file}`)
]
const pages = publicPaths.filter((path) => /upload|^\/health|^\/version/.test(path))

const closed = await testApp(t, outside)
const open = await testApp(t, { ...outside, API_DOCS: 'true' })

t.test('API documents are not served outside devtest', async (t) => {
  const { as } = closed
  const unknown = await as().get(`${orders}/nothing-here`)
  t.equal(outcome(unknown), '404 not-found')
  t.ok(documents.length > 20)
  for (const path of documents)
    for (const method of ['GET', 'HEAD', 'POST'] as const) {
      const { status, body } = await as().send({ method, url: path })
      const other = await as().send({ method, url: `${orders}/nothing-here` })
      t.same(
        [status, { ...body, instance: '' }],
        [other.status, { ...other.body, instance: '' }],
        `${method} ${path}`
      )
      t.equal(status, 404)
    }
  // No issuer responds, so the server is not ready.
  const served = (path: string) => (path === '/health/ready' ? 503 : 200)
  for (const path of pages) t.equal((await as().get(path)).status, served(path), `${path} stays`)
})

t.test('API_DOCS=true serves the documents', async (t) => {
  for (const path of documents) t.ok([200, 302].includes((await open.as().get(path)).status), path)
})

t.test('a route whose path begins like the path of the documents needs an access rule', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(errorHandler, { constraints: {}, origin: 'https://ssl.example' })
  checkRoutes(app)
  await app.register(
    async (api) => {
      await api.register(openapi, {
        ...{ title: 'api', description: 'An API.', baseUrl: 'https://ssl.example/api/v1' },
        ...{ hasEtags: false, problems: {}, exampleBaseUrls: {}, codesOf: () => [], keepsTokens: false }
      })
      for (const path of ['/docs/of-patients', '/docs-of-patients']) api.get(path, async () => 'data')
    },
    { prefix: '/api/v1' }
  )
  await t.rejects(
    async () => app.ready(),
    /: GET \/api\/v1\/docs\/of-patients, (HEAD .*, )?GET \/api\/v1\/docs-of-patients/
  )
})

t.test('outside devtest the first page has no tokens and links only to served pages', async (t) => {
  const page = await closed.app.inject('/')
  t.equal(page.statusCode, 200)
  for (const [, url = ''] of page.body.matchAll(/(?:href|src)="([^"]+)"/g))
    if (url !== 'health/ready') t.equal((await closed.app.inject(`/${url}`)).statusCode, 200, url)
  t.notMatch(page.body, /docs|openapi|asyncapi|token|ssl\.example|nowhere\.example/)
  for (const url of ['/docs', '/home/tokens.json', '/desk/'])
    t.equal((await closed.app.inject(url)).statusCode, 404, url)
})

t.test('the first page with API_DOCS=true links to the documents, whose pages keep no token', async (t) => {
  const { body } = await open.app.inject('/')
  t.match(body, 'ssl-order/v1/docs/')
  t.notMatch(body, /<script|data-page/)
  t.equal((await open.app.inject('/home/tokens.json')).statusCode, 404)
  const initializer = await open.app.inject(`${orders}/docs/static/swagger-initializer.js`)
  t.match(initializer.body, '"persistAuthorization":false')
})

t.test('ORDER_DESK=true serves the order desk, to which the first page links', async (t) => {
  const { app } = await testApp(t, { ...outside, ORDER_DESK: 'true' })
  t.match((await app.inject('/')).body, 'href="desk/"')
  for (const url of ['/desk/', '/pages/desk.js']) t.equal((await app.inject(url)).statusCode, 200, url)
})
