import { OAuth2Server } from 'oauth2-mock-server'
import type { BenchCaller } from './works/work.js'

/** A token issuer on this machine. */
export interface Issuer {
  url: string
  /** A signed token of each caller. */
  tokensOf(callers: readonly BenchCaller[]): Promise<string[]>
  stop(): Promise<void>
}

/** What each user type's work needs. */
const roles: Readonly<Record<BenchCaller['userType'], readonly string[]>> = {
  AdministrativeClerk: [
    'Party.*',
    'Contract.*',
    'Catalogue.*',
    'CatalogueItem.*',
    'Annotation.*',
    'WhiteList.*'
  ],
  MonitoringResponsible: [
    'CatalogueItem.read',
    'Annotation.read',
    'BlackList.*',
    'Order.*',
    'OrderLine.*',
    'TraceLine.read'
  ],
  Provider: [
    'Catalogue.*',
    'CatalogueItem.*',
    'Order.read',
    'Order.update',
    'OrderLine.read',
    'OrderLine.update'
  ]
}

/** Starts an issuer of tokens that are signed with RS256, as most are. */
export async function startIssuer(): Promise<Issuer> {
  const server = new OAuth2Server()
  await server.issuer.keys.generate('RS256')
  await server.start(0, '127.0.0.1')
  const url = server.issuer.url ?? ''
  return {
    url,
    tokensOf: (callers) => Promise.all(callers.map((caller) => tokenOf(server, caller))),
    stop: () => server.stop()
  }
}

const tokenOf = (server: OAuth2Server, { userType, organization }: BenchCaller): Promise<string> =>
  server.issuer.buildToken({
    expiresIn: 8 * 3600,
    scopesOrTransform: (_header, claims) =>
      Object.assign(claims, {
        user_type: userType,
        user_id: `${userType}-${organization.split('/').at(-1)}`,
        name: 'Ada Askov',
        realm_access: { roles: roles[userType] },
        context: { organization_id: organization }
      })
  })
