import { once } from 'node:events'
import { createServer } from 'node:http'
import { exportJWK, generateKeyPair } from 'jose'
import Provider from 'oidc-provider'
import t, { type Test } from 'tap'
import { testApp } from '../../fixtures/app.js'
import { unknownId } from '../../fixtures/routes/addresses.js'
import { orders } from '../../fixtures/world.js'

const client = { client_id: 'ward-7', client_secret: 'a-secret-of-the-test' }

/** A full OpenID provider that issues JWT access tokens for the requested audience. */
async function aProvider(t: Test, alg: 'RS256' | 'ES256') {
  const { privateKey } = await generateKeyPair(alg, { extractable: true })
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as { port: number }).port}`
  const provider = new Provider(url, {
    jwks: { keys: [{ ...(await exportJWK(privateKey)), alg, use: 'sig', kid: `${alg}-1` }] },
    clients: [
      {
        ...client,
        id_token_signed_response_alg: alg,
        grant_types: ['client_credentials'],
        redirect_uris: [],
        response_types: []
      }
    ],
    extraTokenClaims: async () => ({
      user_type: 'MonitoringResponsible',
      user_id: 'nurse-1',
      name: 'Zoë Østergård',
      realm_access: { roles: ['Order.read', 'Party.read'] },
      context: { organization_id: 'https://fhir.example/Organization/aarhus' }
    }),
    features: {
      clientCredentials: { enabled: true },
      devInteractions: { enabled: false },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: async (_context: unknown, resource: string) => ({
          scope: '',
          audience: resource,
          accessTokenFormat: 'jwt' as const,
          accessTokenTTL: 600,
          jwt: { sign: { alg } }
        })
      }
    }
  })
  server.on('request', provider.callback())
  t.teardown(async () => {
    server.close()
    server.closeAllConnections()
  })

  async function token(resource: string): Promise<string> {
    const response = await fetch(`${url}/token`, {
      method: 'POST',
      body: new URLSearchParams({ grant_type: 'client_credentials', resource, ...client })
    })
    const { access_token } = (await response.json()) as { access_token: string }
    return access_token
  }
  return { url, token }
}

t.test('accepts tokens of an OpenID provider', async (t) => {
  const audience = 'https://ssl.example/order'
  const providers = [await aProvider(t, 'RS256'), await aProvider(t, 'ES256')]
  const app = await testApp(t, {
    ENVIRONMENT: 'inttest',
    PUBLIC_URL: 'https://ssl.example',
    DATABASE_URL: 'postgres://nowhere.example/ssl',
    TOKEN_ISSUERS: providers.map(({ url }) => url).join(','),
    TOKEN_AUDIENCE: audience
  })
  const get = async (path: string, token: string) =>
    (await app.as().send({ url: `${orders}${path}`, headers: { authorization: `Bearer ${token}` } })).status
  for (const { token } of providers) {
    const good = await token(audience)
    t.equal(await get('/orders', good), 200, 'organization and permission are read')
    t.equal(await get(`/party/${unknownId}`, good), 404)
    t.equal(await get('/contracts', good), 403, 'a missing permission')
    t.equal(await get('/orders', await token('https://ssl.example/other')), 401, 'another audience')
  }
})
