import t from 'tap'
import { signInIssuerOf } from '../../../src/platform/auth/tokens/discovery.js'

const issuer = 'https://a.example'
const isSecure = ({ protocol }: URL) => protocol === 'https:'
const read = (document: Record<string, unknown>) => signInIssuerOf(issuer, document, isSecure)
const endpoints = {
  authorization_endpoint: 'https://a.example/authorize',
  token_endpoint: 'https://tokens.a.example/token'
}

t.test('a page contains only the data of an issuer that is needed for signing in', async (t) => {
  const more = {
    end_session_endpoint: 'https://a.example/end',
    authorization_response_iss_parameter_supported: true,
    id_token_signing_alg_values_supported: ['ES256']
  }
  t.same(read({ ...endpoints, ...more, jwks_uri: 'https://a.example/jwks', claims_supported: ['sub'] }), {
    issuer,
    ...endpoints,
    ...more
  })
  t.same(read(endpoints), { issuer, ...endpoints })
})

t.test('no user signs in at an issuer without secure endpoints', async (t) => {
  for (const name of ['authorization_endpoint', 'token_endpoint'])
    for (const value of [
      undefined,
      7,
      '/token',
      'http://a.example/token',
      'javascript:alert(1)',
      'https://*/',
      'https://a;sandbox/'
    ])
      t.equal(read({ ...endpoints, [name]: value }), undefined, `${name}: ${value}`)
  t.same(read({ ...endpoints, end_session_endpoint: 'http://a.example/end' }), { issuer, ...endpoints })
})
