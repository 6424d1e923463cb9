import { request } from 'node:http'
import t from 'tap'
import { cloneDatabase } from '../../fixtures/app.js'
import { attackTokens } from '../../fixtures/attacks/index.js'
import { provider, startIssuer } from '../../fixtures/issuer.js'
import { encoded } from '../../fixtures/raw-token.js'
import { unknownId } from '../../fixtures/routes/addresses.js'
import { startServer } from '../../fixtures/server.js'
import { startTokenGate } from '../../fixtures/token-gate.js'

/** Sends a request on a new connection with these exact authorization headers. */
function ask(url: string, authorization: string | string[]) {
  return new Promise<{ status: number; code: string; challenge: string; text: string }>((resolve, reject) => {
    const headers = { authorization: authorization as string }
    request(url, { headers }, (response) => {
      const chunks: string[] = []
      response.setEncoding('utf8').on('data', (chunk) => chunks.push(chunk))
      response.on('end', () => {
        const text = chunks.join('')
        const challenge = response.headers['www-authenticate'] ?? ''
        resolve({ status: response.statusCode ?? 0, code: JSON.parse(text).code, challenge, text })
      })
    })
      .on('error', reject)
      .end()
  })
}

t.test('no forged token is accepted and no token is logged', async (t) => {
  const [issuer, trap] = [await startIssuer(t), await startIssuer(t)]
  await issuer.addKey('RS256', 'rsa')
  const start = performance.now()
  const server = await startServer(t, {
    ENVIRONMENT: 'prod',
    PUBLIC_URL: 'https://ssl.example',
    DATABASE_URL: await cloneDatabase(t),
    TOKEN_ISSUERS: issuer.url,
    TOKEN_AUDIENCE: 'ssl',
    RATE_LIMIT: '0',
    LOG_LEVEL: 'trace'
  })
  await server.ready()
  const url = `${server.url}/ssl-order/v1/party/${unknownId}`
  const sent: string[] = []
  const call = (authorization: string | string[]) => {
    sent.push(...[authorization].flat())
    return ask(url, authorization)
  }
  const claims = { ...provider, aud: 'ssl', name: 'Zaphod-4711' }
  const good = await issuer.sign(claims)

  t.test('valid tokens are accepted', async (t) => {
    const now = Math.floor(Date.now() / 1000)
    const rows: [what: string, token: string][] = [
      ['ES256', good],
      ['again', good],
      ['RS256', await issuer.sign(claims, 'rsa')],
      ['after Bearer', `Bearer ${good}`],
      ['after bearer and spaces', `bearer   ${good}`],
      ['one audience of several', await issuer.sign({ ...claims, aud: ['other', 'ssl'] })],
      ['with every date', await issuer.sign({ ...claims, nbf: now - 10, iat: now })],
      ['with fractions of a second', await issuer.sign({ ...claims, nbf: now - 10.25, exp: now + 600.5 })],
      ['valid for very long', await issuer.sign({ ...claims, exp: 9_999_999_999 })],
      ['with a harmless __proto__', await issuer.sign({ ...claims, ['__proto__']: { user_type: 'Admin' } })],
      [
        'with what is not looked at',
        await issuer.sign(claims, 'first', { jku: trap.url, typ: 'at+jwt', x: 1 })
      ],
      ...(await Promise.all(
        ['JWT', 'jwt', 'AT+JWT', 'application/at+jwt', 'Application/JWT'].map(
          async (typ): Promise<[string, string]> => [
            `with the header typ ${typ}`,
            await issuer.sign(claims, 'first', { typ })
          ]
        )
      )),
      ['with the claim typ of a bearer token', await issuer.sign({ ...claims, typ: 'Bearer' })],
      ['of a long name', await issuer.sign({ ...claims, name: 'é'.repeat(3000) })]
    ]
    for (const [what, token] of rows) t.equal((await call(token)).code, 'not-found', what)
  })

  t.test('forged tokens are refused', async (t) => {
    const attacks = await attackTokens(issuer, trap)
    t.ok(attacks.length > 250, `${attacks.length} attacks`)
    for (const [what, authorization] of attacks) {
      const { status, code, challenge, text } = await call(authorization)
      t.equal(`${status} ${code}`, '401 unauthorized', what)
      if (!/^Bearer( error="invalid_token")?$/.test(challenge)) t.fail(`${what}: challenge ${challenge}`)
      if (text.includes('Zaphod')) t.fail(`${what}: the response repeats the token`)
    }
  })

  t.test('a repeated authorization header is refused', async (t) => {
    for (const pair of [
      [good, good],
      [good, 'garbage'],
      ['garbage', good],
      [`Bearer ${good}`, ''],
      ['', good]
    ])
      t.equal((await call(pair)).status, 401)
  })

  t.test('headers that are too large are refused', async (t) => {
    const token = await issuer.sign({ ...claims, name: 'x'.repeat(20_000) })
    t.equal((await call(token)).code, 'headers-too-large')
  })

  t.test('no address from a token is fetched, and keys at most every 30 seconds', async (t) => {
    t.same(trap.asked, [])
    // At the start, for the first unknown key, and for one after each cool-down.
    const most = 2 + Math.floor((performance.now() - start) / 30_000)
    t.ok(issuer.fetches() <= most, `${issuer.fetches()} fetches, not ${most}`)
  })

  t.test('the log contains no part of a token', async (t) => {
    // The log is complete when the server has stopped.
    await server.stop()
    const log = server.output()
    t.match(log, /"route":"\/ssl-order\/v1\/party\/:id","status":401/, 'requests are logged')
    const parts = sent.flatMap((text) => text.split(/[., "]/)).filter((part) => part.length > 12)
    t.ok(parts.length > 500)
    t.same(
      [...new Set(parts)].filter((part) => log.includes(part)),
      []
    )
    t.notMatch(log, /zaphod|dev\/null|union select|invalid_token/i)
  })
})

t.test('a token of 16 KiB is accepted, a longer one is refused', async (t) => {
  const issuer = await startIssuer(t)
  const gate = await startTokenGate(t, [issuer])
  const sized = async (length: number) => {
    const bare = (await issuer.sign({ ...provider, name: '' })).length
    return issuer.sign({ ...provider, name: 'x'.repeat(Math.floor(((length - bare) * 3) / 4)) })
  }
  const fitting = await sized(16_384)
  t.ok(fitting.length > 16_370 && fitting.length <= 16_384, `${fitting.length}`)
  t.equal(await gate.status(fitting), 200)
  const long = await sized(16_400)
  t.ok(long.length > 16_384)
  t.equal(await gate.status(long), 401)
  const huge = `${encoded({ alg: 'ES256', kid: 'first' })}.${'A'.repeat(1_000_000)}.AAAA`
  t.equal(await gate.status(huge), 401)
})

t.test('the leeway is 30 seconds on both sides', async (t) => {
  const issuer = await startIssuer(t)
  const second = 1_800_000_000
  let now = second * 1000
  const gate = await startTokenGate(t, [issuer], { now: () => now })
  const rows: [claims: object, wanted: number][] = [
    [{ exp: second + 1 }, 200],
    [{ exp: second }, 200],
    [{ exp: second - 29 }, 200],
    [{ exp: second - 30 }, 401],
    [{ exp: second - 31 }, 401],
    [{ nbf: second }, 200],
    [{ nbf: second + 30 }, 200],
    [{ nbf: second + 31 }, 401],
    [{ iat: second + 30 }, 200],
    [{ iat: second + 31 }, 401]
  ]
  for (const [claims, wanted] of rows) {
    const token = await issuer.sign({ ...provider, exp: second + 600, ...claims })
    t.equal(await gate.status(token), wanted, JSON.stringify(claims))
    t.equal(await gate.status(token), wanted, `${JSON.stringify(claims)} again`)
  }

  const token = await issuer.sign({ ...provider, exp: second + 10 })
  for (const [later, wanted] of [
    [0, 200],
    [9, 200],
    [10, 200],
    [39, 200],
    [40, 401],
    [3600, 401]
  ] as const) {
    now = (second + later) * 1000
    t.equal(await gate.status(token), wanted, `${later} seconds later`)
  }
})
