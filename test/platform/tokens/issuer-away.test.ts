import type { IncomingMessage, ServerResponse } from 'node:http'
import t from 'tap'
import { MockAgent } from 'undici'
import { fetchIssuer } from '../../../src/platform/auth/tokens/discovery.js'
import { testApp, verifyingTokens } from '../../fixtures/app.js'
import { clockOf } from '../../fixtures/clock.js'
import { type Issuer, provider, startIssuer } from '../../fixtures/issuer.js'
import { unknownId } from '../../fixtures/routes/addresses.js'
import { startTokenGate } from '../../fixtures/token-gate.js'
import { until } from '../../fixtures/waiting.js'
import { orders } from '../../fixtures/world.js'

const hour = 3_600_000
let count = 0
const inAYear = Math.floor(Date.now() / 1000) + 31_536_000
/** An uncached token that is valid for a year. */
const fresh = (issuer: Issuer, claims: object = {}, header = {}) =>
  issuer.sign({ ...provider, jti: String(++count), exp: inAYear, ...claims }, 'first', header)

t.test('an issuer that becomes unreachable', async (t) => {
  const issuer = await startIssuer(t)
  const gate = await startTokenGate(t, [issuer], { keysMaxAgeMs: 12 * hour })
  t.equal(await gate.status(await fresh(issuer)), 200)
  await issuer.stop()

  t.test('the last fetched keys are valid for as long as the setting says', async (t) => {
    t.equal(await gate.status(await fresh(issuer)), 200)
    gate.pass(11.9 * hour)
    t.equal(await gate.status(await fresh(issuer)), 200)
    const unknown = await gate.response(await fresh(issuer, {}, { kid: 'new' }))
    t.equal(unknown.statusCode, 503, 'a new key may exist')
    t.match(unknown.headers['retry-after'], /^(29|30)$/)
    const warnings = gate.log.map((line) => JSON.parse(line)).filter((line) => line.level === 40)
    t.match(warnings, [{ issuer: issuer.url, msg: 'The keys of a token issuer cannot be fetched' }])
    t.equal(await gate.status(await fresh(issuer, { exp: 1 })), 401, 'an expired one is still refused')
  })

  t.test('later every token is rejected, even if it was verified before', async (t) => {
    const known = await fresh(issuer)
    t.equal(await gate.status(known), 200)
    gate.pass(0.2 * hour)
    t.equal(await gate.status(known), 503)
    const response = await gate.response(await fresh(issuer))
    t.equal(response.statusCode, 503)
    t.equal(JSON.parse(response.body).code, 'token-issuer-unavailable')
    t.match(response.headers['retry-after'], /^[12]$/)
  })

  t.test(
    'keys are fetched at intervals, and tokens are accepted when the issuer responds again',
    async (t) => {
      await issuer.start()
      gate.pass(2000)
      const responses = await Promise.all([1, 2, 3].map(async () => gate.status(await fresh(issuer))))
      t.same(responses, [200, 200, 200])
      t.equal(issuer.fetches(), 2, 'one fetch for all')
    }
  )
})

t.test('an issuer that does not respond delays only its own tokens, by five seconds', async (t) => {
  const clock = clockOf(t, true)
  const [issuer, other] = [await startIssuer(t), await startIssuer(t)]
  issuer.instead = () => {}
  const gate = await startTokenGate(t, [issuer, other])
  let answered = 0
  const hanging = Promise.all(
    Array.from({ length: 100 }, async () => {
      const status = await gate.status(await fresh(issuer))
      answered++
      return status
    })
  )
  await until(() => issuer.asked.length > 0)
  for (let turn = 0; turn < 100; turn++) t.equal(await gate.status(await fresh(other)), 200)
  clock.pass(4999)
  t.equal(await gate.status(await fresh(other)), 200)
  t.equal(answered, 0, 'the others still wait')
  clock.pass(1)
  for (const status of await hanging) t.equal(status, 503)
  t.equal(issuer.asked.length, 1, 'one fetch for all of them')
  t.equal(await gate.status(await fresh(issuer)), 503, 'later requests fail at once')
})

type Handler = (issuer: Issuer) => (request: IncomingMessage, response: ServerResponse) => void

t.test('rejects unusable responses of an issuer', async (t) => {
  const trap = await startIssuer(t)
  const only =
    (path: string, handle: Handler): Handler =>
    (issuer) =>
    (request, response) => {
      if (request.url === path) return handle(issuer)(request, response)
      const { url: name, published: keys } = issuer
      response.end(
        JSON.stringify(request.url === '/jwks' ? { keys } : { issuer: name, jwks_uri: `${name}/jwks` })
      )
    }
  const body =
    (value: unknown, status = 200): Handler =>
    () =>
    (_request, response) => {
      response.writeHead(status)
      response.end(typeof value === 'string' ? value : JSON.stringify(value))
    }
  const redirect: Handler = () => (request, response) => {
    response.writeHead(302, { location: `${trap.url}${request.url}` })
    response.end()
  }
  const named =
    (change: object): Handler =>
    (issuer) =>
      body({ issuer: issuer.url, jwks_uri: `${issuer.url}/jwks`, ...change })(issuer)
  let sent = 0
  const endless: Handler = () => (_request, response) => {
    response.writeHead(200)
    const more = () => {
      do sent += 65_536
      while (!response.destroyed && response.write(' '.repeat(65_536)))
    }
    response.on('drain', more)
    more()
  }
  const slow: Handler = () => (_request, response) => {
    response.writeHead(200)
    const timer = setInterval(() => response.write(' '), 100)
    response.on('close', () => clearInterval(timer))
  }
  const [document, jwks] = ['/.well-known/openid-configuration', '/jwks']
  const rows: [what: string, handle: Handler][] = [
    ['a redirect of the document', only(document, redirect)],
    ['a redirect of the keys', only(jwks, redirect)],
    ['no document', only(document, body('', 404))],
    ['no keys', only(jwks, body({ keys: [] }, 500))],
    ['a document that is not JSON', only(document, body('<html>'))],
    ['a document that is null', only(document, body('null'))],
    ['keys that are not JSON', only(jwks, body('keys'))],
    ['keys that are not a list', only(jwks, body({ keys: {} }))],
    ['keys that are null', only(jwks, body('null'))],
    ['an empty list of keys', only(jwks, body({ keys: [] }))],
    ['a document of another issuer', only(document, named({ issuer: trap.url }))],
    ['an endless document', only(document, endless)],
    ['endless keys', only(jwks, endless)],
    ['slow keys', only(jwks, slow)]
  ]
  await Promise.all(
    rows.map(async ([what, handle]) => {
      const issuer = await startIssuer(t)
      issuer.instead = handle(issuer)
      const gate = await startTokenGate(t, [issuer])
      t.equal(await gate.status(await fresh(issuer)), 503, what)
    })
  )
  t.same(trap.asked, [], 'no redirect was followed')
  t.ok(sent < 32 * 1_048_576, `${sent} bytes of an endless response`)
})

t.test('a server is not ready while its issuer publishes no usable key', async (t) => {
  const issuer = await startIssuer(t)
  const token = await fresh(issuer)
  issuer.published = []
  const { app } = await testApp(t, { ...verifyingTokens, TOKEN_ISSUERS: issuer.url })
  const headers = { authorization: token }
  t.equal((await app.inject({ url: `${orders}/party/${unknownId}`, headers })).statusCode, 503)
  const ready = await app.inject('/health/ready')
  t.equal(ready.statusCode, 503)
  t.match(ready.json(), { dependencies: { issuerKeys: 'unavailable' } })
})

t.test('a server closes while its issuer does not respond', async (t) => {
  const issuer = await startIssuer(t)
  issuer.instead = () => {}
  clockOf(t, true)
  const gate = await startTokenGate(t, [issuer])
  await until(() => issuer.asked.length > 0)
  await gate.close()
})

/**
 * The addresses from which the server fetches the keys of an issuer with this discovery document.
 */
async function addressesOfKeys(issuer: string, discovery: object): Promise<string[]> {
  const asked: string[] = []
  const agent = new MockAgent()
  agent.disableNetConnect()
  const each = agent
    .get(/./)
    .intercept({ path: /./ })
    .reply(({ origin, path }) => {
      asked.push(`${origin}${path}`)
      return { statusCode: 200, data: asked.length === 1 ? discovery : { keys: [] } }
    })
  each.times(2)
  await fetchIssuer(agent, issuer).catch(() => {})
  await agent.close()
  return asked
}

t.test('keys are fetched only over https or from loopback', async (t) => {
  const rows: [issuer: string, place: unknown, wanted: string | undefined][] = [
    ['https://a.example', 'https://a.example/jwks', 'https://a.example/jwks'],
    ['https://a.example/', 'https://a.example/jwks', 'https://a.example/jwks'],
    ['https://a.example/realms/x/', 'https://keys.example/x?v=1', 'https://keys.example/x?v=1'],
    ['http://127.0.0.1:8080', 'http://127.0.0.1:9090/jwks', 'http://127.0.0.1:9090/jwks'],
    ['http://localhost:8080', 'https://keys.example/jwks', 'https://keys.example/jwks'],
    ['https://a.example', 'http://a.example/jwks', undefined],
    ['https://a.example', 'http://127.0.0.1/jwks', undefined],
    ['http://localhost', 'http://a.example/jwks', undefined],
    ['http://localhost', 'http://localhost.a.example/jwks', undefined],
    ['http://localhost', 'http://localhost@a.example/jwks', undefined],
    ['https://a.example', 'file:///jwks', undefined],
    ['https://a.example', 'data:application/json,{"keys":[]}', undefined],
    ['https://a.example', '/jwks', undefined],
    ['https://a.example', ['https://a.example/jwks'], undefined],
    ['https://a.example', undefined, undefined]
  ]
  for (const [issuer, place, wanted] of rows) {
    const asked = await addressesOfKeys(issuer, { issuer, jwks_uri: place })
    t.same(asked.slice(1), wanted === undefined ? [] : [wanted], `${issuer} has them at ${place}`)
    t.equal(asked[0], `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`)
  }
})
