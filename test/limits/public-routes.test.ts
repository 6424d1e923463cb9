import t, { type Test } from 'tap'
import { testApp } from '../fixtures/app.js'
import { excel } from '../fixtures/excel/client.js'
import { outcome } from '../fixtures/routes/refusal.js'
import { catalogue, orders } from '../fixtures/world.js'

const apis = [catalogue, orders, excel]
const documents = [...apis.map((api) => `${api}/openapi.json`), '/asyncapi.json']

/** The longest texts that were serialized while `work` ran, in characters. */
async function serializedDuring(t: Test, work: () => Promise<unknown>): Promise<number[]> {
  const lengths: number[] = []
  const { stringify } = JSON
  const restore = t.intercept(JSON, 'stringify', {
    value: (...given: Parameters<typeof stringify>) => {
      const text = stringify(...given)
      lengths.push(text?.length ?? 0)
      return text
    }
  }).restore
  await work()
  restore()
  return lengths
}

t.test('a document is serialized once, however often it is read', async (t) => {
  const { app } = await testApp(t)
  await app.listen({ host: '127.0.0.1', port: 0 })
  const pages = apis.map((api) => `${api}/docs/json`)
  for (const url of [...documents, ...pages]) await app.inject(url)
  for (const url of [...documents, ...pages])
    for (let reads = 0; reads < 2; reads++) {
      const lengths = await serializedDuring(t, async () => {
        const { statusCode, body } = await app.inject(url)
        t.ok(statusCode === 200 && body.length > 20_000, url)
      })
      t.ok(Math.max(0, ...lengths) < 1000, url)
    }
  const url = `${orders}/openapi.json`
  const { etag } = (await app.inject(url)).headers
  t.equal((await app.inject({ url, headers: { 'if-none-match': etag } })).statusCode, 304)
})

const paths = [
  '/',
  '/version',
  `${orders}/openapi.json`,
  `${excel}/upload`,
  '/nothing-here',
  '/asyncapi.json'
]

t.test('behind a proxy public routes share the rate limit of an address', async (t) => {
  const { as } = await testApp(t, { RATE_LIMIT: '6', TRUST_PROXY: 'true' })
  const from = async (address: string, url: string) =>
    as().send({ method: 'GET', url, headers: { 'x-forwarded-for': address } })
  for (const url of paths) t.not((await from('192.0.2.1', url)).status, 429, url)
  for (const url of paths) t.equal(outcome(await from('192.0.2.1', url)), '429 too-many-requests', url)
  t.equal((await from('192.0.2.2', '/')).status, 200, 'another address has its own')
  for (const url of ['/health/live', '/health/ready'])
    t.equal((await from('192.0.2.1', url)).status, 200, `${url} is not counted`)
})

t.test('without a trusted proxy public routes share ten times the rate limit', async (t) => {
  const { as } = await testApp(t, { RATE_LIMIT: '2', CORS_ORIGINS: 'https://app.example' })
  const from = async (remoteAddress: string) => as().send({ method: 'GET', url: '/', remoteAddress })
  for (let at = 1; at <= 20; at++) t.equal((await from(`192.0.2.${at}`)).status, 200)
  t.equal(outcome(await from('192.0.2.21')), '429 too-many-requests')
  const preflight = await as().send({
    method: 'OPTIONS',
    url: `${orders}/orders`,
    headers: { origin: 'https://app.example', 'access-control-request-method': 'GET' }
  })
  t.equal(preflight.status, 204, 'a preflight request is not counted')
  await as('AdministrativeClerk').get(`${orders}/parties`, 200)
})
