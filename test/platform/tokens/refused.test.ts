import { once } from 'node:events'
import { request } from 'node:http'
import t, { type Test } from 'tap'
import { loadConfig } from '../../../fastify.config.js'
import { buildApp } from '../../../src/app.js'
import { type TestApp, testApp } from '../../fixtures/app.js'
import { callers } from '../../fixtures/callers.js'
import { startIssuer } from '../../fixtures/issuer.js'
import { encoded } from '../../fixtures/raw-token.js'
import { unknownId } from '../../fixtures/routes/addresses.js'
import { outcome, refusalErrors } from '../../fixtures/routes/refusal.js'
import { forgedTokens } from '../../fixtures/tokens/forged.js'
import { goodClaims, signedCase, tokenCases, unsignedCase } from '../../fixtures/tokens/index.js'
import { orders, organization } from '../../fixtures/world.js'

/** An accepted token gets 404 at this URL. */
const url = `${orders}/party/${unknownId}`
const [refused, accepted] = ['401 unauthorized', '404 not-found']

/** Stops the clock of tokens at a whole second: on a slow machine they would expire, or become valid. */
const second = Math.floor(Date.now() / 1000) * 1000
t.intercept(Date, 'now', { value: () => second })

const send = ({ as }: Pick<TestApp, 'as'>, authorization: string) =>
  as().send({ method: 'GET', url, headers: { authorization } })

/** Asserts the outcome of a token, the challenge of a 401, and that neither response nor log repeats it. */
async function check(t: Test, app: TestApp, what: string, authorization: string, wanted = refused) {
  const response = await send(app, authorization)
  t.equal(outcome(response), wanted, what)
  t.same(refusalErrors(response), [], `${what}: well-formed`)
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

  t.test('choose no id of a new resource', async (t) => {
    const claims = {
      user_type: 'AdministrativeClerk',
      realm_access: { roles: ['Party.*'] },
      new_id: unknownId
    }
    const { status, headers } = await app.as().send({
      method: 'POST',
      url: `${orders}/party`,
      headers: { authorization: unsignedCase({ what: '', claims }), 'content-type': 'application/json' },
      payload: JSON.stringify({ allowedRoles: ['BUYER'], name: 'Town', organization: organization('town') })
    })
    t.equal(status, 201)
    t.notMatch(headers.location, unknownId)
  })
})

t.test('tokens outside devtest', async (t) => {
  const [issuer, trap] = [await startIssuer(t), await startIssuer(t)]
  await issuer.addKey('RS256', 'rsa')
  const away = 'http://127.0.0.1:9'
  const env = {
    ENVIRONMENT: 'prod',
    PUBLIC_URL: 'https://ssl.example',
    DATABASE_URL: 'postgres://nowhere.example/ssl',
    TOKEN_ISSUERS: `${issuer.url},${away}`,
    TOKEN_AUDIENCE: 'ssl',
    RATE_LIMIT: '0'
  }
  const app = await testApp(t, env)
  const good = await issuer.sign(goodClaims(issuer.url))

  t.test('are accepted or refused for their claims', async (t) => {
    for (const each of tokenCases(issuer.url))
      await check(t, app, each.what, signedCase(issuer, each), each.wanted)
  })

  t.test('are accepted with any key of the issuer', async (t) => {
    for (const kid of ['first', 'rsa', 'first'])
      await check(t, app, kid, await issuer.sign(goodClaims(issuer.url), kid), accepted)
  })

  t.test('are refused without a signature of the issuer', async (t) => {
    await check(t, app, 'the good one, whose verification is cached', good, accepted)
    const forged = await forgedTokens(issuer, trap, good)
    for (const [what, authorization] of Object.entries(forged)) await check(t, app, what, authorization)
  })

  t.test('are fetched no keys for from an address that they name, nor more often than needed', async (t) => {
    t.same(trap.asked, [])
    // At the start, and for the first unknown key: the clock does not go on to the next time.
    t.equal(issuer.fetches(), 2)
  })

  t.test('cannot be verified without the keys of their issuer', async (t) => {
    const response = await send(app, await issuer.sign(goodClaims(away)))
    t.equal(outcome(response), '503 token-issuer-unavailable')
    t.match(response.headers['retry-after'], /^\d+$/)
  })

  t.test('are refused without a signature in every environment', async (t) => {
    for (const ENVIRONMENT of ['inttest', 'exttest', 'preprod', 'prod']) {
      const other = await buildApp(loadConfig({ ...env, ENVIRONMENT, LOG_LEVEL: 'silent' }), app.databaseUrl)
      t.teardown(() => other.close())
      const there = { as: callers(other) }
      const unsigned = `${encoded({ alg: 'none' })}.${good.split('.')[1]}.`
      t.equal(outcome(await send(there, unsigned)), refused, `${ENVIRONMENT}: unsigned`)
      t.equal(outcome(await send(there, good)), accepted, `${ENVIRONMENT}: signed`)
    }
  })

  t.test('are refused in a repeated authorization header', async (t) => {
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
