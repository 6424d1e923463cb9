import { createHmac, createPublicKey, generateKeyPairSync, type JsonWebKey } from 'node:crypto'
import { once } from 'node:events'
import { request } from 'node:http'
import { CompactEncrypt } from 'jose'
import t, { type Test } from 'tap'
import { type TestApp, testApp, verifyingTokens } from '../../fixtures/app.js'
import {
  type Claims,
  encoded,
  type Issuer,
  type Part,
  provider,
  rawToken,
  startIssuer
} from '../../fixtures/issuer.js'
import { unknownId } from '../../fixtures/routes/addresses.js'
import { outcome, problemViolations } from '../../fixtures/routes/refusal.js'
import { orders, party } from '../../fixtures/world.js'

/**
 * A token that differs from a valid token, and the outcome of a request for an unknown party with
 * it.
 */
interface TokenCase {
  what: string
  /** Members of the header or claims that differ, or the exact text; undefined removes a member. */
  header?: Part
  claims?: Part
  /** Makes the authorization header of the token. */
  form?: (token: string) => string
  /** By default 401. */
  wanted?: '403 forbidden' | '404 not-found'
  /** Whether devtest, which verifies no signature and fewer claims, accepts it. */
  isSignedOnly?: true
}

/** Seconds since 1970. */
const now = () => Math.floor(Date.now() / 1000)

const goodClaims = (iss = 'https://issuer.example'): Claims => ({
  ...provider,
  iss,
  aud: 'ssl',
  exp: now() + 600,
  name: 'Zaphod-4711'
})

/**
 * Tokens that are rejected or accepted independently of their signature. `iss` is the issuer of the
 * valid tokens.
 */
const tokenCases = (iss?: string): TokenCase[] => [
  ...forms,
  ...texts(goodClaims(iss)),
  ...claimCases(iss),
  ...dates()
]

const changed = (good: Claims, part: Part = {}) =>
  typeof part === 'string' || part instanceof Uint8Array ? part : { ...good, ...part }

/** The authorization header of a case without a signature. */
function unsignedCase({ header, claims, form = (token) => token }: TokenCase): string {
  return form(`${encoded(changed({ alg: 'none' }, header))}.${encoded(changed(goodClaims(), claims))}.`)
}

/** The authorization header of a case, signed by the issuer. */
function signedCase(issuer: Issuer, { header, claims, form = (token) => token }: TokenCase): string {
  const ours = { alg: 'ES256', kid: 'first' }
  const key = issuer.privateKey('first')
  return form(rawToken(key, changed(ours, header), changed(goodClaims(issuer.url), claims)))
}

/** A valid token in a header of another form. */
const forms: TokenCase[] = [
  { what: 'bare', wanted: '404 not-found' },
  { what: 'after Bearer', form: (token) => `Bearer ${token}`, wanted: '404 not-found' },
  { what: 'after BEARER and two spaces', form: (token) => `BEARER  ${token}`, wanted: '404 not-found' },
  ...['', ' ', 'Bearer', 'garbage', '..'].map((text) => ({ what: `only "${text}"`, form: () => text })),
  ...['Bearer Bearer ', 'Basic ', 'Bearer: ', 'Bearer', 'Bearer\t', '"', '\u00a0', 'Bearer é'].map(
    (start) => ({ what: `after ${start}`, form: (token: string) => start + token })
  ),
  { what: 'two', form: (token) => `${token}, Bearer ${token}` },
  { what: 'a space inside', form: (token) => token.replace('.', '. ') },
  { what: 'two parts', form: (token) => token.replace(/\.[^.]*$/, '') },
  { what: 'four parts', form: (token) => `${token}.x` },
  { what: 'an empty header', form: (token) => token.replace(/^[^.]+/, '') },
  { what: 'no claims', form: (token) => token.replace(/\.[^.]+\./, '..') },
  { what: 'base64 instead of base64url', form: (token) => token.replace('.', '+/.') },
  { what: 'with padding', form: (token) => `${token}==` }
]

/** Tokens with texts that two parsers may read differently. */
function texts(claims: Claims): TokenCase[] {
  const text = JSON.stringify(claims)
  const more = (members: string) => `${text.slice(0, -1)},${members}}`
  const without = (name: string, members: string) => {
    const { [name]: _, ...others } = claims
    return `${JSON.stringify(others).slice(0, -1)},${members}}`
  }
  return [
    // If a member occurs twice, the last value is used (RFC 7519, section 4), also for the
    // signature.
    { what: 'a duplicate claim', claims: more('"user_type":"Admin"'), wanted: '403 forbidden' },
    { what: 'a duplicate aud', claims: more('"aud":"other"'), isSignedOnly: true },
    { what: 'a duplicate alg', header: '{"alg":"ES256","alg":"none","kid":"first"}', isSignedOnly: true },
    ...[['exp'], ['b64'], []].map(
      (crit): TokenCase => ({ what: `crit ${crit}`, header: { crit, exp: 1, b64: true }, isSignedOnly: true })
    ),
    ...['[]', 'null', '{'].map((header) => ({ what: `the header ${header}`, header })),
    ...['null', '[]', '{}', `[${text}]`, '{"user_type":', `${text}/* */`].map((each) => ({
      what: `the claims ${each}`,
      claims: each
    })),
    {
      what: 'user_type in __proto__',
      claims: without('user_type', '"__proto__":{"user_type":"Provider"}')
    },
    {
      what: 'roles in __proto__',
      claims: without('realm_access', '"realm_access":{"__proto__":{"roles":["Party.read"]}}'),
      wanted: '403 forbidden'
    },
    { what: 'UTF-16', claims: Buffer.from(text, 'utf16le') },
    { what: 'a NUL', claims: without('name', '"name":"a\\u0000b"') },
    { what: 'half a surrogate pair', claims: without('name', '"name":"\\ud800"') },
    { what: 'nbf 1e400', claims: more('"nbf":1e400') },
    { what: 'exp 1e400', claims: without('exp', '"exp":1e400') }
  ]
}

const refusedFor = (claims: object): TokenCase => ({ what: JSON.stringify(claims), claims: { ...claims } })
const refusedIfSigned = (claims: object): TokenCase => ({
  what: JSON.stringify(claims, (_, value) => value ?? 'absent'),
  claims: { ...claims },
  isSignedOnly: true
})
const denied = (claims: object): TokenCase => ({ ...refusedFor(claims), wanted: '403 forbidden' })
const acceptedFor = (claims: object): TokenCase => ({ ...refusedFor(claims), wanted: '404 not-found' })

/** Claims that make a token invalid here, and some that do not. */
function claimCases(iss = 'https://issuer.example'): TokenCase[] {
  const roles = ['Party.read']
  return [
    ...[undefined, '', 3, ['Provider']].map((value) => refusedFor({ user_type: value })),
    ...['provider', 'Provider ', '__proto__', 'toString'].map((name) => denied({ user_type: name })),
    ...['Party.read', { 0: 'Party.read' }, [1], [null]].map((value) =>
      refusedFor({ realm_access: { roles: value } })
    ),
    refusedFor({ realm_access: 'Party.read' }),
    denied({ realm_access: undefined }),
    denied({ realm_access: { roles: ['__proto__', 'constructor'] } }),
    denied({ realm_access: {}, roles, scope: 'Party.read', resource_access: { ssl: { roles } } }),

    refusedFor({ context: 'x' }),
    refusedFor({ context: { organization_id: 7 } }),
    refusedFor({ context: { organization_id: `${'æ'.repeat(1024)}x` } }),
    acceptedFor({ context: { organization_id: 'æ'.repeat(1024) } }),
    ...[undefined, null, ''].map((sub) => refusedIfSigned({ sub })),
    acceptedFor({ sub: undefined, user_id: 'zaphod' }),
    refusedFor({ name: {} }),
    acceptedFor({ name: 'é'.repeat(3000) }),

    ...['ID', 'Refresh', 'LOGOUT'].map((typ) => refusedFor({ typ })),
    ...['Bearer', { toString: 1 }].map((typ) => acceptedFor({ typ })),
    ...[{ 'http://schemas.openid.net/event/backchannel-logout': {} }, null].map((events) =>
      refusedFor({ events })
    ),
    ...[undefined, null, `${iss}/`, iss.toUpperCase(), 'https://other.example', '__proto__', [iss]].map(
      (value) => refusedIfSigned({ iss: value })
    ),
    ...[undefined, null, 'SSL', 'ssl-other', 'ssl,other', [], ['other'], [['ssl']], { 0: 'ssl' }].map((aud) =>
      refusedIfSigned({ aud })
    ),
    acceptedFor({ aud: ['other', 'ssl'] }),

    ...['logout+jwt', 'JWS', 'at+jwt ', 'jwt+at', 'text/jwt', '', 1, null, ['JWT']].map(
      (typ): TokenCase => ({ what: `the header typ ${JSON.stringify(typ)}`, header: { typ } })
    ),
    ...['jwt', 'AT+JWT', 'application/at+jwt'].map(
      (typ): TokenCase => ({ what: `the header typ ${typ}`, header: { typ }, wanted: '404 not-found' })
    ),
    { what: 'unused members of the header', header: { jku: iss, x: 1 }, wanted: '404 not-found' }
  ]
}

/** Dates that make a token invalid now. The clock of the test stands still. */
const dates = (): TokenCase[] => [
  ...[now() - 31, (now() + 600) * 1000, -1, String(now() + 600), [now() + 600]].map((exp) =>
    refusedFor({ exp })
  ),
  ...[undefined, null].map((exp) => refusedIfSigned({ exp })),
  ...[now() + 31, (now() - 600) * 1000, String(now() - 600)].map((nbf) => refusedFor({ nbf })),
  refusedIfSigned({ nbf: null }),
  acceptedFor({ exp: now() - 29 }),
  acceptedFor({ nbf: now() + 30, iat: now() + 30 }),
  acceptedFor({ nbf: now() - 10.25, exp: now() + 600.5 })
]

/**
 * Authorization headers that resemble a valid token of the issuer, without the issuer's signature.
 * The issuer has the keys `first` (ES256) and `rsa` (RS256); foreign URLs point to the trap.
 */
async function forgedTokens(issuer: Issuer, trap: Issuer, good: string): Promise<Record<string, string>> {
  const claims = goodClaims(issuer.url)
  return {
    ...otherSignatures(issuer, claims, good),
    ...shared(issuer, claims),
    ...confused(issuer, claims),
    ...foreignKeys(issuer, trap, claims),
    'a token in a token': rawToken(issuer.privateKey('first'), { alg: 'ES256', kid: 'first' }, good),
    'encrypted claims': await encrypted(issuer, JSON.stringify(claims))
  }
}

/** Tokens without a signature, or with the signature of another text. */
function otherSignatures(issuer: Issuer, claims: Claims, good: string): Record<string, string> {
  const [header = '', payload = '', signature = ''] = good.split('.')
  const other = rawToken(issuer.privateKey('first'), { alg: 'ES256', kid: 'first' }, { ...claims, jti: 'x' })
  const unsigned = ['none', 'nOnE', '', null, undefined, ['none']].flatMap((alg) => [
    [`alg ${JSON.stringify(alg)}`, `${encoded({ alg, kid: 'first' })}.${payload}.`],
    [`alg ${JSON.stringify(alg)}, with a signature`, `${encoded({ alg })}.${payload}.${signature}`]
  ])
  return {
    ...Object.fromEntries(unsigned),
    'the signature stripped': `${header}.${payload}.`,
    'zeros (psychic)': `${header}.${payload}.${encoded(Buffer.alloc(64))}`,
    'a signature cut short': `${header}.${payload}.${signature.slice(0, -2)}`,
    'the signature of another token': `${header}.${payload}.${other.split('.')[2]}`,
    'other claims': `${header}.${encoded({ ...claims, user_type: 'AdministrativeClerk' })}.${signature}`,
    'another header': `${encoded({ alg: 'ES256', kid: 'first', typ: 'JWT' })}.${payload}.${signature}`
  }
}

const publicKeyOf = (issuer: Issuer, kid: string) =>
  createPublicKey({ key: issuer.published.find((key) => key.kid === kid) as JsonWebKey, format: 'jwk' })

/** Tokens signed with public data as HMAC secret. */
function shared(issuer: Issuer, claims: Claims): Record<string, string> {
  const tokens: Record<string, string> = { nothing: hmac('HS256', 'first', claims, '') }
  for (const kid of ['first', 'rsa']) {
    const pem = publicKeyOf(issuer, kid).export({ type: 'spki', format: 'pem' }).toString()
    for (const alg of ['HS256', 'HS512'])
      tokens[`${alg} with the PEM of ${kid}`] = hmac(alg, kid, claims, pem)
  }
  return tokens
}

function hmac(alg: string, kid: string, claims: Claims, secret: string): string {
  const input = `${encoded({ alg, kid })}.${encoded(claims)}`
  return `${input}.${createHmac(alg.replace('HS', 'sha'), secret).update(input).digest('base64url')}`
}

/** Tokens signed with a key of the issuer, whose header names another key or algorithm. */
function confused(issuer: Issuer, claims: Claims): Record<string, string> {
  const headers: [key: string, header: Claims][] = [
    ...['ES384', 'RS256', 'EdDSA', 'es256', ['ES256']].map((alg): [string, Claims] => [
      'first',
      { alg, kid: 'first' }
    ]),
    ...['ES256', 'PS256', 'RS512', 'rs256', '__proto__'].map((alg): [string, Claims] => [
      'rsa',
      { alg, kid: 'rsa' }
    ]),
    ['first', { alg: 'ES256', kid: 'rsa' }],
    ['rsa', { alg: 'RS256', kid: 'first' }],
    ...[['first'], null, 1].map((kid): [string, Claims] => ['first', { alg: 'ES256', kid }])
  ]
  return Object.fromEntries(
    headers.map(([key, header]) => [
      `the key ${key} for ${JSON.stringify(header)}`,
      rawToken(issuer.privateKey(key), header, claims)
    ])
  )
}

/** Tokens signed with a key of the attacker, which the header contains, points to, or gives a name. */
function foreignKeys(issuer: Issuer, trap: Issuer, claims: Claims): Record<string, string> {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const jwk = publicKey.export({ format: 'jwk' })
  trap.published = [{ ...jwk, kid: 'trap', alg: 'ES256' } as (typeof trap.published)[number]]
  const jku = `${trap.url}/jwks`
  const headers: Claims[] = [
    {},
    { kid: 'first' },
    { jwk },
    { jwk: { ...jwk, kid: 'first' }, kid: 'first' },
    { jku, kid: 'trap' },
    { jku: `${issuer.url}@${new URL(trap.url).host}/jwks`, kid: 'trap' },
    { x5u: `${trap.url}/certificate.pem`, kid: 'trap' },
    { x5c: [publicKey.export({ type: 'spki', format: 'der' }).toString('base64')], kid: 'first' },
    { iss: trap.url, kid: 'trap' },
    ...[jku, '../../dev/null', '__proto__', 'first\u0000', 'first'.repeat(1500)].map((kid) => ({ kid }))
  ]
  return {
    ...Object.fromEntries(
      headers.map((header) => [
        `a foreign key with ${JSON.stringify(header)}`,
        rawToken(privateKey, { alg: 'ES256', ...header }, claims)
      ])
    ),
    'of another issuer': rawToken(privateKey, { alg: 'ES256', kid: 'trap' }, { ...claims, iss: trap.url })
  }
}

const encrypted = (issuer: Issuer, text: string) =>
  new CompactEncrypt(Buffer.from(text))
    .setProtectedHeader({ alg: 'RSA-OAEP', enc: 'A256GCM', kid: 'rsa' })
    .encrypt(publicKeyOf(issuer, 'rsa'))

/** An accepted token gets 404 at this URL. */
const url = `${orders}/party/${unknownId}`
const [refused, accepted] = ['401 unauthorized', '404 not-found']

/** Stops the clock of tokens at a whole second: on a slow machine they would expire, or become valid. */
const second = Math.floor(Date.now() / 1000) * 1000
t.intercept(Date, 'now', { value: () => second })

const send = ({ as }: Pick<TestApp, 'as'>, authorization: string) =>
  as().get(url, undefined, { authorization })

/** Asserts the outcome of a token, the challenge of a 401, and that neither response nor log repeats it. */
async function check(t: Test, app: TestApp, what: string, authorization: string, wanted = refused) {
  const response = await send(app, authorization)
  t.equal(outcome(response), wanted, what)
  t.same(problemViolations(response), [], `${what}: well-formed`)
  if (wanted === refused)
    t.match(response.headers['www-authenticate'], /^Bearer( error="invalid_token")?$/, `${what}: challenge`)
  const log = app.lines.join('')
  const logged = authorization.split(/[., "]/).filter((part) => part.length > 12 && log.includes(part))
  t.same(logged, [], `${what}: no part of it is in the log`)
}

t.test('tokens without a signature, in devtest', async (t) => {
  const app = await testApp(t)
  for (const each of tokenCases())
    if (!each.isSignedOnly) await check(t, app, each.what, unsignedCase(each), each.wanted)

  t.test('an organization in __proto__ is ignored', async (t) => {
    const claims =
      '{"user_type":"MonitoringResponsible","realm_access":{"roles":["Order.read"]},"context":{"__proto__":{"organization_id":"x"}}}'
    const headers = { authorization: unsignedCase({ what: '', claims }) }
    t.equal(outcome(await app.as().send({ url: `${orders}/order/${unknownId}`, headers })), '403 forbidden')
  })

  t.test('cannot choose the id of a new resource', async (t) => {
    const claims = {
      user_type: 'AdministrativeClerk',
      realm_access: { roles: ['Party.*'] },
      new_id: unknownId
    }
    const authorization = unsignedCase({ what: '', claims })
    const { headers } = await app.as().post(`${orders}/party`, party('town', 'BUYER'), 201, { authorization })
    t.notMatch(headers.location, unknownId)
  })
})

t.test('tokens outside devtest', async (t) => {
  const [issuer, trap] = [await startIssuer(t), await startIssuer(t)]
  await issuer.addKey('RS256', 'rsa')
  const away = 'http://127.0.0.1:9'
  const env = {
    ...verifyingTokens,
    ...{ ENVIRONMENT: 'prod', TOKEN_ISSUERS: `${issuer.url},${away}` },
    ...{ TOKEN_AUDIENCE: 'ssl', RATE_LIMIT: '0' }
  }
  const app = await testApp(t, env)
  const good = await issuer.sign(goodClaims(issuer.url))

  t.test('are accepted or rejected for their claims', async (t) => {
    for (const each of tokenCases(issuer.url))
      await check(t, app, each.what, signedCase(issuer, each), each.wanted)
  })

  t.test('are accepted with any key of the issuer', async (t) => {
    for (const kid of ['first', 'rsa', 'first'])
      await check(t, app, kid, await issuer.sign(goodClaims(issuer.url), kid), accepted)
  })

  t.test('are rejected without a signature of the issuer', async (t) => {
    await check(t, app, 'the good one, whose verification is cached', good, accepted)
    const forged = await forgedTokens(issuer, trap, good)
    for (const [what, authorization] of Object.entries(forged)) await check(t, app, what, authorization)
  })

  t.test(
    'cause no fetch of keys from an address that they name, and no more fetches than needed',
    async (t) => {
      t.same(trap.asked, [])
      // One fetch at the start, and one for the first unknown key. The clock stands still, so there
      // are no further fetches.
      t.equal(issuer.fetches(), 2)
    }
  )

  t.test('cannot be verified without the keys of their issuer', async (t) => {
    const response = await send(app, await issuer.sign(goodClaims(away)))
    t.equal(outcome(response), '503 token-issuer-unavailable')
    t.match(response.headers['retry-after'], /^\d+$/)
  })

  t.test('are rejected in a repeated authorization header', async (t) => {
    const address = await app.app.listen({ port: 0, host: '127.0.0.1' })
    for (const authorization of [
      [good, good],
      [good, 'garbage'],
      ['garbage', good],
      [`Bearer ${good}`, ''],
      ['', good]
    ]) {
      const sent = request(`${address}${url}`, { agent: false })
      sent.setHeader('authorization', authorization)
      const [response] = await once(sent.end(), 'response')
      t.equal(response.resume().statusCode, 401)
    }
  })
})
