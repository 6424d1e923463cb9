import { createHmac, createPublicKey, generateKeyPairSync } from 'node:crypto'
import Fastify from 'fastify'
import { createLocalJWKSet } from 'jose'
import t, { type Test } from 'tap'
import { issuerKeys, type KeySet } from '../../../src/platform/auth/tokens/issuer-keys.js'
import { verifiedTokens } from '../../../src/platform/auth/tokens/verified.js'
import type { Problem } from '../../../src/platform/errors/problem.js'
import { encoded, provider, startIssuer } from '../../fixtures/issuer.js'
import { startTokenGate } from '../../fixtures/token-gate.js'

const second = 1_800_000_000

t.test('a token is refused with the invalid claim and the expected audience, also in the log', async (t) => {
  const issuer = await startIssuer(t)
  const gate = await startTokenGate(t, [issuer], { audience: 'https://ssl.example' })
  const sign = (claims: object) => issuer.sign({ ...provider, aud: 'https://ssl.example', ...claims })
  const wanted = 'The token’s aud must name https://ssl.example.'
  const unsigned =
    'The signature of the token is wrong: the token was changed, or its issuer did not sign it. Fetch a new one.'
  t.equal(await gate.status(await sign({})), 200)
  const foreign = await sign({ aud: 'https://other.example' })
  for (const [what, token, detail] of [
    ['another audience', foreign, wanted],
    ['no audience', await sign({ aud: undefined }), wanted],
    ['a list of others', await sign({ aud: ['a', 'b'] }), wanted],
    ['expired', await sign({ exp: 1 }), 'Token expired (exp).'],
    ['not yet valid', await sign({ nbf: 2 ** 32 }), 'Token not yet valid (nbf).'],
    ['without an end', await sign({ exp: undefined }), 'exp is required.'],
    ['without a user', await sign({ sub: undefined }), 'The token must name its user in sub or user_id.'],
    ['no signature', `${foreign.slice(0, -86)}${'A'.repeat(86)}`, unsigned]
  ] as const) {
    gate.log.length = 0
    t.equal(JSON.parse((await gate.response(token)).body).detail, detail, what)
    t.ok(
      gate.log.some((line) => JSON.parse(line).reason === detail),
      `${what}: logged`
    )
  }
  const unknown = await sign({ user_type: 'Patient' })
  t.match(JSON.parse((await gate.response(unknown)).body), {
    status: 403,
    detail:
      'The token’s user_type is unknown. The known user types are AdministrativeClerk, MonitoringResponsible, Provider.'
  })
})

t.test('the server signs no token, and verifies none without the key of an issuer', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await verifiedTokens(app, { issuers: [], audience: undefined })
  t.throws(() => app.jwt.sign(provider), /unable to sign/)
  for (const alg of ['HS256', 'none']) {
    const input = `${encoded({ alg })}.${encoded({ ...provider, exp: second })}`
    const signature = alg === 'none' ? '' : createHmac('sha256', '').update(input).digest('base64url')
    await t.rejects(async () => app.jwt.verify(`${input}.${signature}`), /Cannot fetch key/, alg)
  }
})

t.test('a verified token is accepted until 30 seconds after its end', async (t) => {
  const issuer = await startIssuer(t)
  let now = second * 1000
  t.intercept(Date, 'now', { value: () => now })
  const gate = await startTokenGate(t, [issuer])
  const token = await issuer.sign({ ...provider, exp: second + 10 })
  for (const [later, wanted] of [
    [0, 200],
    [10, 200],
    [40, 200],
    [41, 401],
    [3600, 401]
  ] as const) {
    now = (second + later) * 1000
    t.equal(await gate.status(token), wanted, `${later} seconds later`)
  }
})

/** One key per kid. */
const jwks = new Map(
  ['first', 'second'].map((kid) => {
    const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    return [kid, { ...publicKey.export({ format: 'jwk' }), kty: 'EC', kid }]
  })
)
const keySet = (...kids: string[]): KeySet =>
  createLocalJWKSet({ keys: kids.map((kid) => jwks.get(kid) ?? { kty: 'EC', kid }) })
const kidOf = (pem: string | Buffer) =>
  [...jwks.values()].find(({ x }) => createPublicKey(pem).export({ format: 'jwk' }).x === x)?.kid

/** Keys of an issuer with fetches and clock controlled by the test. */
function keysByHand(t: Test, maxAgeMs = 600_000) {
  const state = { now: 0, fetches: 0, failures: 0, set: keySet('first'), isAway: false }
  t.intercept(Date, 'now', { value: () => state.now })
  async function fetch() {
    state.fetches++
    if (state.isAway) throw new Error('away')
    return createLocalJWKSet(state.set.jwks())
  }
  const keys = issuerKeys(fetch, maxAgeMs, () => void state.failures++)
  const find = (kid: string) =>
    keys.find({ alg: 'ES256', kid }).then(
      (found) => found && `pem of ${kidOf(found.pem)}`,
      ({ code, headers }: Problem) => `${code} ${headers['retry-after']}`
    )
  return { state, keys, find }
}

t.test('an unknown key causes a fetch, and another after 30 seconds', async (t) => {
  const { state, find } = keysByHand(t)
  t.equal(await find('first'), 'pem of first')
  t.equal(state.fetches, 1)
  for (const [now, fetches] of [
    [0, 2],
    [29_999, 2],
    [30_000, 3],
    [59_999, 3],
    [60_000, 4]
  ] as const) {
    state.now = now
    t.equal(await find('unknown'), undefined)
    t.equal(state.fetches, fetches, `after ${now} ms`)
  }
})

t.test('a failed first fetch is repeated after two seconds', async (t) => {
  const { state, find } = keysByHand(t)
  state.isAway = true
  for (const [now, fetches, response] of [
    [0, 1, 'token-issuer-unavailable 2'],
    [1, 1, 'token-issuer-unavailable 2'],
    [1000, 1, 'token-issuer-unavailable 1'],
    [1999, 1, 'token-issuer-unavailable 1'],
    [2000, 2, 'token-issuer-unavailable 2']
  ] as const) {
    state.now = now
    t.equal(await find('first'), response, `after ${now} ms`)
    t.equal(state.fetches, fetches)
    t.equal(state.failures, fetches)
  }
  state.now = 4000
  state.isAway = false
  t.equal(await find('first'), 'pem of first')
  t.equal(await find('unknown'), undefined, 'no outage after a successful fetch')
})

t.test('keys count as long as they are kept, counted from the last fetch that succeeded', async (t) => {
  const { state, keys, find } = keysByHand(t, 60_000)
  await find('first')
  state.now = 30_000
  await keys.refresh()
  state.isAway = true
  state.now = 89_999
  await keys.refresh()
  t.equal(state.failures, 1)
  t.equal(await find('first'), 'pem of first')
  t.match(await find('unknown'), 'token-issuer-unavailable')
  state.now = 90_000
  t.equal(keys.current(), undefined)
  t.match(await find('first'), 'token-issuer-unavailable')
  state.isAway = false
  state.now = 100_000
  state.set = keySet('second')
  t.equal(await find('second'), 'pem of second')
  t.equal(await find('first'), undefined)
})
