import { readFileSync } from 'node:fs'
import t from 'tap'
import { userTypes } from '../../src/platform/auth/caller.js'
import { usualPermissions } from '../../src/platform/auth/tokens/unsigned-token.js'
import { testApp, verifyingTokens } from '../fixtures/app.js'
import { type Claims, startIssuer } from '../fixtures/issuer.js'
import { orders } from '../fixtures/world.js'

interface Group {
  name: string
  attributes: Record<string, string[]>
  realmRoles?: string[]
  subGroups?: Group[]
}
interface Mapper {
  protocolMapper: string
  config: Record<string, string>
}
interface Realm {
  realm: string
  roles: { realm: { name: string }[] }
  groups: Group[]
  clients: (Record<string, unknown> & { protocolMappers: Mapper[] })[]
}
const realm = JSON.parse(readFileSync('deploy/keycloak/realm.json', 'utf8')) as Realm
const organizations = realm.groups.find(({ name }) => name === 'organizations')?.subGroups ?? []

/** The claims that the mappers of the client make for a member of these groups, as Keycloak does. */
function claimsOf(name: string, groups: readonly Group[]): Claims {
  const claims: Claims = { sub: `id of ${name}`, typ: 'Bearer' }
  const attribute = (key: string) => groups.flatMap(({ attributes }) => attributes?.[key] ?? [])[0]
  const put = (path: string, value: unknown) => {
    const [outer = '', inner] = path.split('.')
    claims[outer] = inner === undefined ? value : { [inner]: value }
  }
  for (const { protocolMapper, config } of realm.clients[0]?.protocolMappers ?? []) {
    t.equal(config['access.token.claim'], 'true')
    const claim = config['claim.name'] ?? ''
    if (protocolMapper === 'oidc-usermodel-attribute-mapper')
      put(claim, attribute(config['user.attribute'] ?? ''))
    else if (protocolMapper === 'oidc-usermodel-realm-role-mapper')
      put(claim, [...groups.flatMap(({ realmRoles = [] }) => realmRoles), 'offline_access'])
    else if (protocolMapper === 'oidc-full-name-mapper') claims.name = name
    else if (protocolMapper === 'oidc-audience-mapper')
      claims.aud = [config['included.custom.audience'], 'account']
    else t.fail(`an unknown mapper: ${protocolMapper}`)
  }
  return claims
}

t.test('tokens that the realm of deploy/keycloak makes are accepted, for each user type', async (t) => {
  const issuer = await startIssuer(t)
  const settings = { ...verifyingTokens, TOKEN_ISSUERS: issuer.url, TOKEN_AUDIENCE: 'ssl-backend' }
  const { as } = await testApp(t, settings)
  const known = realm.roles.realm.map(({ name }) => name)
  t.equal(organizations.length, 2)
  for (const userType of userTypes) {
    const group = realm.groups.find(({ name }) => name === userType)
    t.same(group?.realmRoles, usualPermissions[userType], userType)
    t.same(
      group?.realmRoles?.filter((role) => !known.includes(role)),
      [],
      'the realm has its roles'
    )
    const [organization] = organizations
    if (!group || !organization) continue
    const claims = claimsOf('Sofie Sygeplejerske', [group, organization])
    const ask = async (asked: Claims, expected: number) =>
      as().get(`${orders}/me`, expected, { authorization: `Bearer ${await issuer.sign(asked)}` })
    t.match((await ask(claims, 200)).body, {
      userType,
      permissions: [...usualPermissions[userType], 'offline_access'].sort(),
      organization: organization.attributes.organization_id?.[0]
    })
    for (const claim of [{ aud: 'account' }, { user_type: undefined }])
      await ask({ ...claims, ...claim }, 401)
  }
})

t.test('the realm has the client with which users sign in on pages', async (t) => {
  const issuer = await startIssuer(t)
  const [client] = realm.clients
  const settings = {
    ...{ ...verifyingTokens, PUBLIC_URL: 'https://ssl.example.org' },
    ...{ TOKEN_ISSUERS: issuer.url, SIGN_IN_CLIENT_ID: 'ssl-backend' }
  }
  const { app } = await testApp(t, settings)
  const { clientId, returnPath } = JSON.parse(app.signIn.meta('')['sign-in'] ?? '')
  t.match(client, {
    clientId,
    publicClient: true,
    standardFlowEnabled: true,
    redirectUris: [`https://ssl.example.org${returnPath}`],
    // The origins of the redirect URIs.
    webOrigins: ['+'],
    attributes: { 'pkce.code.challenge.method': 'S256', 'post.logout.redirect.uris': '+' }
  })
  t.equal((await app.inject({ url: returnPath })).statusCode, 200)
})
