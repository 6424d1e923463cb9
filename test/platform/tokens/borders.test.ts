import { createPublicKey, generateKeyPairSync } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { createLocalJWKSet } from 'jose'
import t, { type Test } from 'tap'
import { decodeToken } from '../../../src/platform/auth/tokens/access-token.js'
import { fetchKeys } from '../../../src/platform/auth/tokens/discovery.js'
import {
  type IssuerKeysOptions,
  issuerKeys,
  type KeySet
} from '../../../src/platform/auth/tokens/issuer-keys.js'
import { tokenCache } from '../../../src/platform/auth/tokens/token-cache.js'
import { unsignedTokens } from '../../../src/platform/auth/tokens/unsigned.js'
import { checkDates } from '../../../src/platform/auth/tokens/verified.js'
import type { Problem } from '../../../src/platform/errors/problem.js'
import { encoded } from '../../fixtures/raw-token.js'

const second = 1_800_000_000

/** The problem code for an unsigned token with these claims; undefined if it is accepted. */
async function refusalOf(claims: object): Promise<string | undefined> {
  const authorization = `${encoded('{"alg":"none"}')}.${encoded(JSON.stringify({ user_type: 'Provider', ...claims }))}.`
  const request = { headers: { authorization }, raw: { rawHeaders: [] } } as unknown as FastifyRequest
  return unsignedTokens(request).then(
    () => undefined,
    (refusal: Problem) => refusal.code
  )
}

const stopClock = (t: Test, milliseconds: number) => t.intercept(Date, 'now', { value: () => milliseconds })

t.test('an unsigned token has a leeway of 30 seconds too', async (t) => {
  stopClock(t, second * 1000)
  const rows: [claims: object, refusal: string | undefined][] = [
    [{}, undefined],
    [{ exp: second - 30 }, undefined],
    [{ exp: second - 31 }, 'unauthorized'],
    [{ nbf: second + 30 }, undefined],
    [{ nbf: second + 31 }, 'unauthorized'],
    [{ exp: 'x' }, 'unauthorized'],
    [{ nbf: '0' }, 'unauthorized'],
    [{ exp: null }, undefined]
  ]
  for (const [claims, refusal] of rows) t.equal(await refusalOf(claims), refusal, JSON.stringify(claims))
})

t.test('an organization reference has at most 2048 bytes', async (t) => {
  for (const [organization, refusal] of [
    ['x'.repeat(2048), undefined],
    ['x'.repeat(2049), 'unauthorized'],
    ['æ'.repeat(1024), undefined],
    [`${'æ'.repeat(1024)}x`, 'unauthorized']
  ])
    t.equal(await refusalOf({ context: { organization_id: organization } }), refusal)
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
  const rows: [what: string, header: string, claims: string, refusal: string | undefined][] = [
    ['canonical', header, claims, undefined],
    ['unused bits that are set, in the header', 'e31', claims, 'unauthorized'],
    ['unused bits that are set, in the claims', header, 'e31', 'unauthorized'],
    ['a byte order mark in the header', encoded('\ufeff{}'), claims, 'unauthorized'],
    ['a byte order mark in the claims', header, encoded('\ufeff{}'), 'unauthorized'],
    ['broken UTF-8', header, encoded(Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d)), 'unauthorized']
  ]
  for (const [what, first, second, refusal] of rows) {
    const decode = async () => decodeToken(`${first}.${second}.`)
    t.equal(
      await decode().then(
        () => undefined,
        ({ code }: Problem) => code
      ),
      refusal,
      what
    )
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
