import { createHmac } from 'node:crypto'
import Fastify from 'fastify'
import t from 'tap'
import { verifiedTokens } from '../../../src/platform/auth/tokens/verified.js'
import { encoded, provider, startIssuer } from '../../fixtures/issuer.js'
import { startTokenGate } from '../../fixtures/token-gate.js'

const second = 1_800_000_000

t.test('the error and the log name the invalid claim and the expected audience of a token', async (t) => {
  const issuer = await startIssuer(t)
  const gate = await startTokenGate(t, [issuer], { audience: 'https://ssl.example' })
  const sign = (claims: object) => issuer.sign({ ...provider, aud: 'https://ssl.example', ...claims })
  const wanted = 'The token’s aud must name https://ssl.example.'
  const unsigned =
    'The signature of the token is invalid: the token was changed, or its issuer did not sign it. Fetch a new token.'
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

t.test('the server signs no token, and accepts no token without the key of an issuer', async (t) => {
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
