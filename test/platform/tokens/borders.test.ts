import { createPublicKey, generateKeyPairSync } from 'node:crypto'
import { createLocalJWKSet } from 'jose'
import t from 'tap'
import { checkDates, decodeToken } from '../../../src/platform/auth/tokens/access-token.js'
import { fetchKeys } from '../../../src/platform/auth/tokens/discovery.js'
import {
  type IssuerKeysOptions,
  issuerKeys,
  type KeySet
} from '../../../src/platform/auth/tokens/issuer-keys.js'
import { tokenCache } from '../../../src/platform/auth/tokens/token-cache.js'
import type { Problem } from '../../../src/platform/errors/problem.js'
import { provider, startIssuer } from '../../fixtures/issuer.js'
import { encoded } from '../../fixtures/raw-token.js'
import { startTokenGate } from '../../fixtures/token-gate.js'

const second = 1_800_000_000

t.test('a token of 16 KiB is accepted, a longer one is refused', async (t) => {
  const issuer = await startIssuer(t)
  const gate = await startTokenGate(t, [issuer])
  const bare = (await issuer.sign({ ...provider, name: '' })).length
  const sized = (length: number) =>
    issuer.sign({ ...provider, name: 'x'.repeat(Math.floor(((length - bare) * 3) / 4)) })
  const [fitting, long] = [await sized(16_384), await sized(16_400)]
  t.ok(fitting.length > 16_370 && fitting.length <= 16_384 && long.length > 16_384)
  const huge = `${encoded({ alg: 'ES256', kid: 'first' })}.${'A'.repeat(1_000_000)}.AAAA`
  t.same(await Promise.all([fitting, long, huge].map(gate.status)), [200, 401, 401])
})

t.test('a token for another audience is refused with the expected one, also in the log', async (t) => {
  const issuer = await startIssuer(t)
  const gate = await startTokenGate(t, [issuer], { audience: 'https://ssl.example' })
  const [wanted, invalid] = ['The token’s aud must name https://ssl.example.', 'The token is not valid.']
  const good = await issuer.sign({ ...provider, aud: 'https://ssl.example' })
  const foreign = await issuer.sign({ ...provider, aud: 'https://other.example' })
  t.equal(await gate.status(good), 200)
  for (const { what, token, detail } of [
    { what: 'another audience', token: foreign, detail: wanted },
    { what: 'no audience', token: await issuer.sign(provider), detail: wanted },
    { what: 'a list of others', token: await issuer.sign({ ...provider, aud: ['a', 'b'] }), detail: wanted },
    { what: 'no signature', token: `${foreign.slice(0, -86)}${'A'.repeat(86)}`, detail: invalid }
  ]) {
    gate.log.length = 0
    t.equal(JSON.parse((await gate.response(token)).body).detail, detail, what)
    t.ok(
      gate.log.some((line) => JSON.parse(line).reason === detail),
      `${what}: logged`
    )
  }
})

t.test('a verified token is accepted until 30 seconds after its end', async (t) => {
  const issuer = await startIssuer(t)
  let now = second * 1000
  const gate = await startTokenGate(t, [issuer], { now: () => now })
  const token = await issuer.sign({ ...provider, exp: second + 10 })
  const fresh = async (jti: string) => gate.status(await issuer.sign({ ...provider, jti, exp: second + 10 }))
  for (const [later, wanted] of [
    [0, 200],
    [10, 200],
    [39, 200],
    [40, 401],
    [3600, 401]
  ] as const) {
    now = (second + later) * 1000
    t.equal(await gate.status(token), wanted, `${later} seconds later`)
    t.equal(await fresh(String(later)), wanted, `${later} seconds later, another token`)
  }
})

t.test('a date of a signed token is a number of seconds in digits', async (t) => {
  const last = 253_402_300_799
  const codeOf = (text: string) => {
    try {
      return checkDates(decodeToken(`${encoded('{}')}.${encoded(text)}.`).claims, second * 1000)
    } catch (refusal) {
      return (refusal as Problem).code
    }
  }
  t.equal(codeOf(`{"exp":${last}}`), last * 1000)
  t.equal(codeOf(`{"exp":${second + 0.5}}`), (second + 0.5) * 1000)
  t.equal(codeOf(`{"exp":${second}.0,"x":1e-7}`), second * 1000, 'exponents in other claims are accepted')
  for (const name of ['nbf', 'iat']) {
    t.equal(codeOf(`{"exp":${last},"${name}":${second + 30}}`), last * 1000, `${name} within the leeway`)
    t.equal(codeOf(`{"exp":${last},"${name}":${second + 31}}`), 'unauthorized', `${name} after it`)
  }
  for (const text of [
    '{}',
    `{"exp":${last + 1}}`,
    '{"exp":1.8e9}',
    '{"e\\u0078p" : 1.8E9}',
    `{"exp":"${second}"}`,
    `{"exp":${second},"nbf":-1}`,
    `{"exp":${second},"iat":${last + 1}}`
  ])
    t.equal(codeOf(text), 'unauthorized', text)
})

t.test('each part of a token has one encoding', async (t) => {
  const [header, claims] = [encoded('{}'), encoded('{"user_type":"Provider"}')]
  const broken = encoded(Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d))
  t.ok(decodeToken(`${header}.${claims}.`))
  for (const [what, token] of Object.entries({
    'unused bits that are set, in the header': `e31.${claims}.`,
    'unused bits that are set, in the claims': `${header}.e31.`,
    'a byte order mark in the header': `${encoded('\ufeff{}')}.${claims}.`,
    'a byte order mark in the claims': `${header}.${encoded('\ufeff{}')}.`,
    'broken UTF-8': `${header}.${broken}.`
  }))
    t.throws(() => decodeToken(token), { code: 'unauthorized' }, what)
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
function keysByHand(options: Partial<IssuerKeysOptions> = {}) {
  const state = { now: 0, fetches: 0, failures: 0, set: keySet('first'), isAway: false }
  const keys = issuerKeys({
    maxAgeMs: 600_000,
    now: () => state.now,
    onFailure: () => void state.failures++,
    async fetch() {
      state.fetches++
      if (state.isAway) throw new Error('away')
      return createLocalJWKSet(state.set.jwks())
    },
    ...options
  })
  const find = (kid: string) =>
    keys.find({ alg: 'ES256', kid }).then(
      (found) => found && `pem of ${kidOf(found.pem)}`,
      ({ code, headers }: Problem) => `${code} ${headers['retry-after']}`
    )
  return { state, keys, find }
}

t.test('an unknown key causes a fetch, and another after 30 seconds', async (t) => {
  const { state, find } = keysByHand()
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

t.test('the discovery document is found under an issuer with a slash at its end', async (t) => {
  const paths: [issuer: string, document: string][] = [
    ['https://issuer.example', '/.well-known/openid-configuration'],
    ['https://issuer.example/', '/.well-known/openid-configuration'],
    ['https://issuer.example/realms/a/', '/realms/a/.well-known/openid-configuration']
  ]
  for (const [issuer, document] of paths) {
    const fetched: string[] = []
    const getJson = async ({ pathname }: URL) => {
      fetched.push(pathname)
      return pathname === '/jwks' ? { keys: [] } : { issuer, jwks_uri: 'https://issuer.example/jwks' }
    }
    await fetchKeys(getJson, issuer)
    t.same(fetched, [document, '/jwks'])
  }
})

t.test('an RSA key with the exponent 1 is not used', async (t) => {
  const jwk = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ format: 'jwk' })
  const find = (e: string) => {
    const set = createLocalJWKSet({ keys: [{ ...jwk, kty: 'RSA', e }] })
    return keysByHand({ fetch: async () => set }).keys.find({ alg: 'RS256' })
  }
  t.ok(await find('AQAB'))
  t.notOk(await find('AQ'))
})

t.test('a failed first fetch is repeated after two seconds', async (t) => {
  const { state, find } = keysByHand()
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
  const { state, keys, find } = keysByHand({ maxAgeMs: 60_000 })
  await find('first')
  const first = keys.current()
  state.now = 30_000
  t.equal(await keys.refresh(), true)
  t.equal(keys.current(), first, 'the same keys are the same object')
  state.isAway = true
  state.now = 89_999
  t.equal(await keys.refresh(), false)
  t.equal(await find('first'), 'pem of first')
  t.match(await find('unknown'), 'token-issuer-unavailable')
  state.now = 90_000
  t.equal(keys.current(), undefined)
  t.match(await find('first'), 'token-issuer-unavailable')
  state.isAway = false
  state.now = 100_000
  state.set = keySet('second')
  t.equal(await find('second'), 'pem of second')
  t.not(keys.current(), first)
  t.equal(await find('first'), undefined)
})

t.test('a verified token is cached for a minute, at most until it expires', async (t) => {
  let now = 0
  let current = keySet('a')
  const issuer = { current: () => current }
  const cache = tokenCache(() => now)
  const caller = { userType: 'Provider' } as Parameters<typeof cache.set>[2]['caller']
  const remember = (hash: string, expiresAt: number) =>
    cache.set(hash, 100, { caller, expiresAt, issuer, keys: current })
  const knownAt = (milliseconds: number, hash: string) => {
    now = milliseconds
    return cache.get(hash) === caller
  }
  remember('long', 3_600_000)
  remember('short', 10_000)
  t.same(
    [9999, 10_000].map((at) => knownAt(at, 'short')),
    [true, false]
  )
  t.same(
    [59_999, 60_000, 59_999].map((at) => knownAt(at, 'long')),
    [true, false, false],
    'then forgotten'
  )
  t.notOk(knownAt(0, 'other'))
  remember('rotated', 3_600_000)
  t.ok(knownAt(1, 'rotated'))
  current = keySet('b')
  t.notOk(knownAt(1, 'rotated'))
})
