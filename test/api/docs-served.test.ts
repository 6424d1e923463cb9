import t from 'tap'
import { testApp } from '../fixtures/app.js'
import { publicPaths } from '../fixtures/routes/addresses.js'
import { outcome } from '../fixtures/routes/refusal.js'
import { orders } from '../fixtures/world.js'

const outside = {
  ENVIRONMENT: 'prod',
  PUBLIC_URL: 'https://ssl.example',
  DATABASE_URL: 'postgres://nowhere.example/ssl',
  TOKEN_ISSUERS: 'http://127.0.0.1:9',
  TOKEN_AUDIENCE: 'ssl'
}
const files = ['docs/static/swagger-ui.css', 'docs/static/swagger-ui-bundle.js', 'docs/']
const documents = [
  ...publicPaths.filter((path) => /\/(docs|openapi\.json|asyncapi\.json)/.test(path) && !path.includes('*')),
  ...files.map((file) => `${orders}/${file}`)
]
const pages = publicPaths.filter((path) => /upload|^\/health|^\/version/.test(path))

t.test('API documents are not served outside devtest', async (t) => {
  const { as } = await testApp(t, outside)
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
  const { as } = await testApp(t, { ...outside, API_DOCS: 'true' })
  for (const path of documents) t.ok([200, 302].includes((await as().get(path)).status), path)
})
