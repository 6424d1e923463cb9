import { setTimeout as pause } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { testApp } from '../fixtures/app.js'
import { type Issuer, startIssuer } from '../fixtures/issuer.js'
import { pageModule } from '../fixtures/page-module.js'
import { until } from '../fixtures/waiting.js'

async function deskOf(t: Test, issuer: Issuer, env: Record<string, string> = {}) {
  const { app } = await testApp(t, {
    ENVIRONMENT: 'inttest',
    PUBLIC_URL: 'https://ssl.example',
    DATABASE_URL: 'postgres://nowhere.example/ssl',
    TOKEN_ISSUERS: issuer.url,
    ORDER_DESK: 'true',
    ...env
  })
  await app.ready()
  return {
    get: (url: string, host = 'ssl.example') => app.inject({ url, headers: { host } }),
    /** The data of the page for signing in, and the servers that the page may call. */
    async desk() {
      const { body, headers } = await app.inject({ url: '/desk/' })
      const [, meta] = body.match(/<meta name="sign-in" content="([^"]*)">/) ?? []
      const [, called] = String(headers['content-security-policy']).match(/connect-src ([^;]*);/) ?? []
      return { signIn: meta && JSON.parse(meta.replaceAll('&#34;', '"').replaceAll('&#38;', '&')), called }
    }
  }
}

const endpointsOf = (issuer: Issuer) => ({
  authorization_endpoint: `${issuer.url}/authorize`,
  token_endpoint: 'http://localhost:9/token'
})

t.test('a page contains the addresses for signing in, and may call only the token endpoints', async (t) => {
  const issuer = await startIssuer(t)
  issuer.discovery = endpointsOf(issuer)
  const { desk } = await deskOf(t, issuer, {
    SIGN_IN_CLIENT_ID: 'ssl-pages',
    TOKEN_AUDIENCE: 'https://ssl.example/api'
  })
  let shown = await desk()
  while (shown.signIn.issuers.length === 0) {
    await pause(20)
    shown = await desk()
  }
  t.same(shown, {
    signIn: {
      clientId: 'ssl-pages',
      scope: 'openid',
      resource: 'https://ssl.example/api',
      returnPath: '/sign-in',
      issuers: [{ issuer: issuer.url, ...endpointsOf(issuer) }]
    },
    called: "'self' http://localhost:9"
  })
})

t.test('a page offers an issuer that was unreachable at the start once it responds', async (t) => {
  const issuer = await startIssuer(t)
  issuer.discovery = endpointsOf(issuer)
  await issuer.stop()
  const { desk } = await deskOf(t, issuer, { SIGN_IN_CLIENT_ID: 'ssl-pages' })
  t.match(await desk(), { signIn: { issuers: [] }, called: "'self'" })
  await issuer.start()
  // The page requests the keys of the issuer again, at most every two seconds.
  await until(async () => (await desk()).signIn.issuers.length > 0)
})

t.test('without SIGN_IN_CLIENT_ID no user signs in', async (t) => {
  const issuer = await startIssuer(t)
  issuer.discovery = endpointsOf(issuer)
  const { desk, get } = await deskOf(t, issuer)
  t.same(await desk(), { signIn: undefined, called: "'self'" })
  t.equal((await get('/sign-in')).statusCode, 404)
  t.notMatch((await get('/desk/')).body, 'people-page', 'the first page has no people')
})

t.test('the return page shows no part of its address, and cannot be framed', async (t) => {
  const { get } = await deskOf(t, await startIssuer(t), { SIGN_IN_CLIENT_ID: 'ssl-pages' })
  const { body, headers } = await get('/sign-in?code=c0de&state=%3Cscript%3E')
  t.match(body, '<p>You can close this window.')
  t.notMatch(body, /c0de|<script>/)
  t.match(headers, {
    'content-security-policy':
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store'
  })
  for (const [, file = ''] of body.matchAll(/(?:src|href)="(pages\/[^"]+)"/g))
    t.equal((await get(`/${file}`)).statusCode, 200, file)
})

t.test('with host addressing users return to the host of the upload page', async (t) => {
  const { get } = await deskOf(t, await startIssuer(t), {
    SIGN_IN_CLIENT_ID: 'ssl-pages',
    ADDRESSING: 'host'
  })
  const host = 'ssl-catalogue-excel.ssl.example'
  t.match((await get('/v1/upload', host)).body, '<meta name="sign-in"')
  for (const path of ['/sign-in', '/pages/sign-in.js', '/pages/issuer.js'])
    t.equal((await get(path, host)).statusCode, 200, path)
  t.equal((await get('/ssl-order/v1/me', host)).statusCode, 401, 'it asks there who signed in')
})

t.test('the id of a user is user_id, or sub without it', async (t) => {
  const { namedUser } = (await pageModule('pages/parts/access/person.ts')) as {
    namedUser(token: string): string | undefined
  }
  const userOf = (claims: object) =>
    namedUser(`.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.`)
  t.equal(userOf({ user_id: 'nora', sub: '2' }), userOf({ user_id: 'nora', sub: '1' }))
  t.equal(userOf({ user_id: '', sub: 'nora' }), userOf({ sub: 'nora' }))
  t.not(userOf({ sub: '1' }), userOf({ sub: '2' }))
})
