import t from 'tap'
import { testApp } from '../../fixtures/app.js'
import { startOpenIdProvider } from '../../fixtures/openid-provider.js'
import { unknownId } from '../../fixtures/routes/addresses.js'
import { orders } from '../../fixtures/world.js'

const client = { client_id: 'ward-7', client_secret: 'a-secret-of-the-test' }
const clients = [{ ...client, grant_types: ['client_credentials'], redirect_uris: [], response_types: [] }]
const claimsOf = () => ({
  user_type: 'MonitoringResponsible',
  user_id: 'nurse-1',
  name: 'Zoë Østergård',
  realm_access: { roles: ['Order.read', 'Party.read'] },
  context: { organization_id: 'https://fhir.example/Organization/aarhus' }
})

t.test('accepts tokens of an OpenID provider', async (t) => {
  const audience = 'https://ssl.example/order'
  const providers = [
    await startOpenIdProvider(t, { alg: 'RS256', clients, claimsOf }),
    await startOpenIdProvider(t, { alg: 'ES256', clients, claimsOf })
  ]
  const app = await testApp(t, {
    ENVIRONMENT: 'inttest',
    PUBLIC_URL: 'https://ssl.example',
    DATABASE_URL: 'postgres://nowhere.example/ssl',
    TOKEN_ISSUERS: providers.map(({ url }) => url).join(','),
    TOKEN_AUDIENCE: audience
  })
  const get = async (path: string, token: string) =>
    (await app.as().send({ url: `${orders}${path}`, headers: { authorization: `Bearer ${token}` } })).status
  for (const { tokenOf } of providers) {
    const good = await tokenOf(client, audience)
    t.equal(await get('/orders', good), 200, 'organization and permission are read')
    t.equal(await get(`/party/${unknownId}`, good), 404)
    t.equal(await get('/contracts', good), 403, 'a missing permission')
    t.equal(await get('/orders', await tokenOf(client, 'https://ssl.example/other')), 401, 'another audience')
  }
})
