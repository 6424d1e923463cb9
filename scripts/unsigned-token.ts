import type { UserType } from '../src/platform/auth/actor.js'

/** What each actor's work needs: the permissions that a token has unless told otherwise. */
const usual: Readonly<Record<UserType, readonly string[]>> = {
  AdministrativeClerk: [
    'Party.*',
    'Contract.*',
    'Catalogue.*',
    'CatalogueItem.*',
    'Annotation.*',
    'WhiteList.*'
  ],
  MonitoringResponsible: [
    ...[
      'Party.read',
      'Contract.read',
      'Catalogue.read',
      'CatalogueItem.read',
      'Annotation.read',
      'WhiteList.read'
    ],
    ...['BlackList.*', 'Order.*', 'OrderLine.*', 'TraceLine.read', 'AuditEvent.read']
  ],
  Provider: [
    ...['Party.read', 'Contract.read', 'Catalogue.*', 'CatalogueItem.*'],
    ...[
      'Order.read',
      'Order.update',
      'OrderLine.read',
      'OrderLine.update',
      'TraceLine.read',
      'AuditEvent.read'
    ]
  ]
}

export interface TokenWish {
  userType: UserType
  organization?: string | undefined
  name?: string | undefined
  permissions?: readonly string[] | undefined
  /** Seconds until it expires. */
  lifetime?: number | undefined
}

/** An unsigned token (`alg: none`), which the environment devtest takes and every other refuses. */
export function unsignedToken({
  userType,
  organization,
  name,
  permissions,
  lifetime = 8 * 3600
}: TokenWish): string {
  const now = Math.floor(Date.now() / 1000)
  const claims = {
    iss: 'urn:unsigned',
    iat: now,
    exp: now + lifetime,
    user_type: userType,
    user_id: name ?? userType,
    name: name ?? userType,
    realm_access: { roles: permissions ?? usual[userType] },
    ...(organization === undefined ? {} : { context: { organization_id: organization } })
  }
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  return `${part({ alg: 'none', typ: 'JWT' })}.${part(claims)}.`
}
