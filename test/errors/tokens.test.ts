import { createPublicKey, type JsonWebKey, randomUUID } from 'node:crypto'
import { importJWK, SignJWT } from 'jose'
import { OAuth2Server } from 'oauth2-mock-server'
import t, { type Test } from 'tap'
import { loadConfig } from '../../fastify.config.js'
import { buildApp } from '../../src/app.js'
import { type TestApp, testApp } from '../fixtures/app.js'
import { callers } from '../fixtures/callers.js'
import { unknownId } from '../fixtures/routes/addresses.js'
import { outcome, refusalErrors } from '../fixtures/routes/refusal.js'
import { orders } from '../fixtures/world.js'

type Claims = Record<string, unknown>

/** A token with an error, its authorization header, and the expected outcome. */
type Row = [what: string, authorization: string, wanted: string]

/** An accepted token gets 404 at this URL. */
const url = `${orders}/party/${unknownId}`
const welcome = '404 not-found'
const now = () => Math.floor(Date.now() / 1000)
const claims = { user_type: 'Provider', realm_access: { roles: ['Party.read'] } }

const encoded = (text: string | Uint8Array) => Buffer.from(text).toString('base64url')
const raw = (payload: string | Uint8Array, header = '{"alg":"none"}', signature = '') =>
  `${encoded(header)}.${encoded(payload)}.${signature}`
const typed = (typ: string | null) => raw(JSON.stringify(claims), JSON.stringify({ alg: 'none', typ }))
const token = (more: Claims = {}) => raw(JSON.stringify({ ...claims, ...more }))

async function answerTo(app: Pick<TestApp, 'as'>, authorization: string | undefined) {
  const headers = authorization === undefined ? {} : { authorization }
  return app.as().send({ method: 'GET', url, headers })
}

/** Asserts the outcome of a response, and the headers of a 401 or 503. */
async function check(t: Test, app: Pick<TestApp, 'as'>, what: string, authorization: string, wanted: string) {
  const response = await answerTo(app, authorization)
  t.equal(outcome(response), wanted, what)
  if (response.status < 500) t.same(refusalErrors(response), [], `${what}: well-formed`)
  if (response.status === 401)
    t.match(response.headers['www-authenticate'], /^Bearer/, `${what}: WWW-Authenticate`)
  if (response.status === 503) t.match(response.headers['retry-after'], /^\d+$/, `${what}: Retry-After`)
}

/** Stops the clock of tokens: on a slow machine they would expire, or become valid, before they are sent. */
function stopClock(t: Test): void {
  const start = Date.now()
  t.intercept(Date, 'now', { value: () => start })
}

const invalid = '401 unauthorized'
const denied = '403 forbidden'

t.test('tokens in devtest', async (t) => {
  stopClock(t)
  const app = await testApp(t)
  const part = encoded(JSON.stringify(claims))
  const table: Row[] = [
    ['bare', token(), welcome],
    ['after Bearer', `Bearer ${token()}`, welcome],
    ['after bearer', `bearer ${token()}`, welcome],
    ['after BEARER and two spaces', `BEARER  ${token()}`, welcome],
    ['expired within the leeway', token({ exp: now() - 10 }), welcome],

    ['the header typ application/at+jwt', typed('application/at+jwt'), welcome],
    ['the claim typ Bearer', token({ typ: 'Bearer' }), welcome],
    ['the header typ logout+jwt', typed('logout+jwt'), invalid],
    ['the header typ null', typed(null), invalid],
    ...['ID', 'Refresh', 'Logout'].map((typ): Row => [`the claim typ ${typ}`, token({ typ }), invalid]),
    ['a claim events', token({ events: {} }), invalid],

    ['empty', '', invalid],
    ['a blank', ' ', invalid],
    ['only Bearer', 'Bearer', invalid],
    ['Bearer and a blank', 'Bearer ', invalid],
    ['Bearer twice', `Bearer Bearer ${token()}`, invalid],
    ['another scheme', `Basic ${token()}`, invalid],
    ['Basic', 'Basic dXNlcjpwdw==', invalid],
    ['garbage', 'garbage', invalid],
    ['dots', '..', invalid],
    ['two parts', `${part}.${part}`, invalid],
    ['four parts', `${token()}.x`, invalid],
    ['five parts', `${part}.${part}.${part}.${part}.${part}`, invalid],
    ['two tokens', `${token()}, ${token()}`, invalid],
    ['a header that is not JSON', `???.${part}.`, invalid],
    ['a payload that is not base64', `${encoded('{}')}.???.`, invalid],
    ['a payload that is not JSON', raw('{"user_type":'), invalid],
    ['a payload that is not UTF-8', raw(Uint8Array.of(0x7b, 0xff, 0x7d)), invalid],
    ...['null', '[]', '"Provider"', '42', '{}'].map(
      (text): Row => [`the payload ${text}`, raw(text), invalid]
    ),

    ['expired', token({ exp: now() - 60 }), invalid],
    ['exp as text', token({ exp: '9999999999' }), invalid],
    ['exp as a list', token({ exp: [9999999999] }), invalid],
    ['not valid yet', token({ nbf: now() + 60 }), invalid],
    ['nbf as text', token({ nbf: 'now' }), invalid],
    ['without user_type', token({ user_type: undefined }), invalid],
    ...[null, '', 3, true, ['Provider'], { name: 'Provider' }].map(
      (value): Row => [`user_type ${JSON.stringify(value)}`, token({ user_type: value }), invalid]
    ),
    ...['Party.read', { 0: 'Party.read' }, [1], [['Party.read']], [null], 7].map(
      (roles): Row => [`roles ${JSON.stringify(roles)}`, token({ realm_access: { roles } }), invalid]
    ),
    ['realm_access as a list', token({ realm_access: ['Party.read'] }), invalid],
    ['realm_access as text', token({ realm_access: 'Party.read' }), invalid],
    ['context as text', token({ context: 'x' }), invalid],
    ['an organization that is not a string', token({ context: { organization_id: 7 } }), invalid],
    ['a name that is not a string', token({ name: {} }), invalid],

    ...['Admin', 'provider', 'Provider ', '__proto__', 'constructor', 'toString'].map(
      (name): Row => [`user_type ${name}`, token({ user_type: name }), denied]
    ),
    ['no roles at all', token({ realm_access: undefined }), denied],
    [
      'roles in another claim',
      token({ realm_access: {}, roles: ['Party.read'], scope: 'Party.read' }),
      denied
    ],
    [
      'roles of a client',
      token({ realm_access: {}, resource_access: { ssl: { roles: ['Party.read'] } } }),
      denied
    ],
    ['user_type in __proto__', raw('{"__proto__":{"user_type":"Provider"}}'), invalid],
    [
      'roles in __proto__',
      raw('{"user_type":"Provider","__proto__":{"realm_access":{"roles":["Party.read"]}}}'),
      denied
    ],
    [
      'roles in a __proto__ below',
      raw('{"user_type":"Provider","realm_access":{"__proto__":{"roles":["Party.read"]}}}'),
      denied
    ],
    ['the role __proto__', token({ realm_access: { roles: ['__proto__', 'constructor'] } }), denied]
  ]
  for (const [what, authorization, wanted] of table) await check(t, app, what, authorization, wanted)
  t.equal(outcome(await answerTo(app, undefined)), invalid, 'no header')

  const hidden = raw(
    '{"user_type":"MonitoringResponsible","realm_access":{"roles":["Order.read"]},"context":{"__proto__":{"organization_id":"x"}}}'
  )
  const response = await app
    .as()
    .send({ url: `${orders}/order/${unknownId}`, headers: { authorization: hidden } })
  t.equal(outcome(response), denied, 'an organization in __proto__ is ignored')
})

t.test('tokens outside devtest', async (t) => {
  stopClock(t)
  const [issuer, stranger] = [await startIssuer(t), await startIssuer(t)]
  const down = 'http://127.0.0.1:9'
  const trusted = issuer.url
  const env = {
    ENVIRONMENT: 'prod',
    PUBLIC_URL: 'https://ssl.example',
    DATABASE_URL: 'postgres://nowhere.example/ssl',
    TOKEN_ISSUERS: `${trusted},${down}`,
    TOKEN_AUDIENCE: 'ssl'
  }
  const app = await testApp(t, env)
  const [jwk] = issuer.server.issuer.keys.toJSON()
  if (!jwk) throw new Error('the issuer has a key')
  const publicKey = createPublicKey({ key: jwk as JsonWebKey, format: 'jwk' })
  const good = { ...claims, aud: 'ssl' }
  const signed = (change: Claims = {}) => issuer.sign({ ...good, ...change })
  const whole = { ...good, iss: trusted, exp: now() + 600 }
  const unsigned = (alg: string) => raw(JSON.stringify(whole), JSON.stringify({ alg, kid: jwk.kid }))
  const [header = '', , signature = ''] = (await signed()).split('.')
  const shared = (secret: string | Uint8Array, alg = 'HS256') =>
    new SignJWT(whole).setProtectedHeader({ alg, kid: jwk.kid }).sign(Buffer.from(secret))
  const forged = async (header: object) => {
    const [own] = stranger.server.issuer.keys.toJSON(true)
    const key = await importJWK({ ...own, kty: 'RSA' }, 'RS256')
    return new SignJWT(whole).setProtectedHeader({ alg: 'RS256', ...header }).sign(key)
  }
  const own = stranger.server.issuer.keys.toJSON()[0] as JsonWebKey & { kid: string }
  const leaf = `${encoded('{"alg":"RS256"}')}.${encoded(JSON.stringify(whole))}.${signature}`

  const table: Row[] = [
    ['signed', await signed(), welcome],
    ['signed, after Bearer', `Bearer ${await signed()}`, welcome],
    ['one audience of several', await signed({ aud: ['other', 'ssl'] }), welcome],
    ['expired within the leeway', await signed({ exp: now() - 10 }), welcome],
    ['valid within the leeway', await signed({ nbf: now() + 10 }), welcome],
    ['signed, without permission', await signed({ realm_access: { roles: [] } }), denied],
    ['signed, unknown user type', await signed({ user_type: 'Admin' }), denied],

    ['no token', '', invalid],
    ['garbage', 'garbage', invalid],
    ['a token for devtest', token(), invalid],
    ['alg none, all claims', unsigned('none'), invalid],
    ['alg None', unsigned('None'), invalid],
    ['alg empty', unsigned(''), invalid],
    ['alg none with a signature', raw(JSON.stringify(whole), '{"alg":"none"}', signature), invalid],
    ['alg RS256 without a signature', unsigned('RS256'), invalid],
    [
      'HS256 with the public key (PEM)',
      await shared(publicKey.export({ type: 'spki', format: 'pem' })),
      invalid
    ],
    [
      'HS256 with the public key (PKCS 1)',
      await shared(publicKey.export({ type: 'pkcs1', format: 'pem' })),
      invalid
    ],
    [
      'HS256 with the public key (DER)',
      await shared(publicKey.export({ type: 'spki', format: 'der' })),
      invalid
    ],
    ['HS256 with the public key (JWK)', await shared(JSON.stringify(jwk)), invalid],
    [
      'HS512 with the public key',
      await shared(publicKey.export({ type: 'spki', format: 'pem' }), 'HS512'),
      invalid
    ],
    [
      'another payload under a signature',
      `${header}.${encoded(JSON.stringify(whole))}.${signature}`,
      invalid
    ],
    ['another header over a signature', leaf, invalid],
    ['a truncated signature', (await signed()).slice(0, -8), invalid],
    ['two parts', `${header}.${encoded(JSON.stringify(whole))}`, invalid],
    ['another key with this kid', await forged({ kid: jwk.kid }), invalid],
    ['another key with its kid', await forged({ kid: own.kid }), invalid],
    ['another key without a kid', await forged({}), invalid],
    ['a key in the header', await forged({ jwk: own }), invalid],
    ['a key set in the header', await forged({ kid: own.kid, jku: `${stranger.url}/jwks` }), invalid],

    ['an issuer that is not trusted', await stranger.sign(good), invalid],
    ['another signer in the name of the issuer', await stranger.sign({ ...good, iss: trusted }), invalid],
    ['the issuer under another name', await signed({ iss: 'https://other.example' }), invalid],
    ['an issuer with a slash', await signed({ iss: `${trusted}/` }), invalid],
    ['a list of issuers', await signed({ iss: [trusted] }), invalid],
    ['without iss', await signed({ iss: undefined }), invalid],
    ['expired', await signed({ exp: now() - 60 }), invalid],
    ['without exp', await signed({ exp: undefined }), invalid],
    ['exp as text', await signed({ exp: String(now() + 600) }), invalid],
    ['exp null', await signed({ exp: null }), invalid],
    ['not valid yet', await signed({ nbf: now() + 60 }), invalid],
    ['another audience', await signed({ aud: 'other' }), invalid],
    ['an audience with the same prefix', await signed({ aud: 'ssl-other' }), invalid],
    ['without aud', await signed({ aud: undefined }), invalid],
    ['without user_type', await signed({ user_type: undefined }), invalid],
    ['user_type as number', await signed({ user_type: 3 }), invalid],
    ['roles that are not a list', await signed({ realm_access: { roles: 'Party.read' } }), invalid],

    ['an issuer that does not answer', await signed({ iss: down }), '503 token-issuer-unavailable']
  ]
  for (const [what, authorization, wanted] of table) await check(t, app, what, authorization, wanted)

  t.test('only devtest accepts an unsigned token', async (t) => {
    for (const ENVIRONMENT of ['inttest', 'exttest', 'preprod', 'prod']) {
      const other = await buildApp(loadConfig({ ...env, ENVIRONMENT, LOG_LEVEL: 'silent' }), app.databaseUrl)
      t.teardown(() => other.close())
      const there = { as: callers(other) }
      t.equal(outcome(await answerTo(there, unsigned('none'))), invalid, `${ENVIRONMENT}: unsigned`)
      t.equal(outcome(await answerTo(there, await signed())), welcome, `${ENVIRONMENT}: signed`)
    }
  })

  t.test('during an issuer outage tokens with known keys are accepted and others refused', async (t) => {
    const fresh = await buildApp(loadConfig({ ...env, LOG_LEVEL: 'silent' }), app.databaseUrl)
    t.teardown(() => fresh.close())
    const late = await signed({ jti: randomUUID() })
    await issuer.server.stop()
    await check(t, app, 'a server that knows the key', late, welcome)
    await check(
      t,
      { as: callers(fresh) },
      'a server that does not know the key',
      late,
      '503 token-issuer-unavailable'
    )
    t.match((await answerTo({ as: callers(fresh) }, unsigned('none'))).status, /401|503/, 'an unsigned token')
  })
})

/** A local token issuer; `sign` takes claims that replace its own. */
async function startIssuer(t: Test) {
  const server = new OAuth2Server()
  await server.issuer.keys.generate('RS256')
  await server.start(0, '127.0.0.1')
  t.teardown(() => (server.listening ? server.stop() : undefined))
  const sign = (wanted: Claims) =>
    server.issuer.buildToken({ scopesOrTransform: (_header, payload) => void Object.assign(payload, wanted) })
  return { server, url: server.issuer.url ?? '', sign }
}
