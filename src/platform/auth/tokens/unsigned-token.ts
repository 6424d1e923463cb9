import type { Authenticate } from '../authorize.js'
import type { UserType } from '../caller.js'
import { authProblem } from '../texts.js'
import { bearerToken, callerOf, decodeToken, invalidToken, LEEWAY_MS } from './access-token.js'

const words = (text: string): string[] => text.split(' ')

export const usualPermissions: Readonly<Record<UserType, readonly string[]>> = {
  AdministrativeClerk: words(
    'Party.* Contract.* Catalogue.* CatalogueItem.* Annotation.* WhiteList.* OrderStatistics.read Subscription.*'
  ),
  MonitoringResponsible: [
    ...words('Party.read Contract.read Catalogue.read CatalogueItem.read Annotation.read WhiteList.read'),
    ...words(
      'BlackList.* Order.* OrderLine.* TraceLine.read OrderStatistics.read AuditEvent.read Subscription.*'
    )
  ],
  Provider: [
    ...words('Party.read Contract.read Catalogue.* CatalogueItem.* Order.read Order.update'),
    ...words(
      'OrderLine.read OrderLine.update TraceLine.read OrderStatistics.read AuditEvent.read Subscription.*'
    )
  ]
}

export interface TokenOptions {
  userType: UserType
  organization?: string | undefined
  name?: string | undefined
  permissions?: readonly string[] | undefined
  /** Seconds until it expires. Default: 28,800 (8 hours). */
  lifetime?: number | undefined
}

/** An unsigned token (`alg: none`), which is accepted only in the environment devtest. */
export function unsignedToken({
  userType,
  organization,
  name,
  permissions,
  lifetime = 8 * 3600
}: TokenOptions): string {
  const now = Math.floor(Date.now() / 1000)
  const claims = {
    iss: 'urn:unsigned',
    iat: now,
    exp: now + lifetime,
    user_type: userType,
    user_id: name ?? userType,
    name: name ?? userType,
    realm_access: { roles: permissions ?? usualPermissions[userType] },
    ...(organization === undefined ? {} : { context: { organization_id: organization } })
  }
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  return `${encode({ alg: 'none', typ: 'JWT' })}.${encode(claims)}.`
}

/** Accepts tokens without verifying the signature, for devtest only. `exp` may be absent. */
export const unsignedTokens: Authenticate = async (request) => {
  const token = bearerToken(request)
  const { claims } = decodeToken(token)
  const caller = callerOf(claims)
  const { expiresAt = Number.POSITIVE_INFINITY } = caller
  if (Date.now() > 1000 * expiresAt + LEEWAY_MS)
    throw authProblem('unauthorized.expired', null, null, invalidToken)
  if (Date.now() < 1000 * (claims.nbf ?? 0) - LEEWAY_MS)
    throw authProblem('unauthorized.notYetValid', null, null, invalidToken)
  return { ...caller, token }
}
