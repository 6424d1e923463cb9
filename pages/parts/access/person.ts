import type { Me, Party } from '../../../clients/typescript/src/index.js'
import { clientOf } from '../calls.js'
import type { UserType } from '../user-type-names.js'

/** The user who signed in. */
export interface Person {
  /** The same for all tokens of this user, in this role. */
  key: string
  /** The same for all people of the organization in this role. */
  group: string
  name: string
  /** The name of the organization; empty if it has no party. */
  organization: string
  userType: UserType
}

/**
 * Asks the server whether it accepts a token, and for the user of the token.
 * @throws ProblemError when the server rejects the token.
 */
export async function personOf(token: string): Promise<Person> {
  const { data } = await clientOf({ token: async () => token, reject: () => {} }).order.getMe({
    expand: ['parties']
  })
  const claims = claimsOf(token)
  const { name = userIdIn(claims) } = claims
  return {
    key: personKey(claims, data),
    group: JSON.stringify([data.userType, data.organization]),
    name: name ?? '',
    organization: organizationIn(data),
    userType: data.userType
  }
}

/** Identifies a user in a role, the same for all tokens of the user. */
export const personKey = (claims: Claims, { userType, organization }: Me): string =>
  JSON.stringify([claims.iss, userIdIn(claims), userType, organization])

/** The id of the user, as the server reads it. */
const userIdIn = ({ user_id, sub }: Claims): string | undefined => user_id || sub

interface Claims {
  iss?: string
  sub?: string
  user_id?: string
  name?: string
  user_type?: string
  context?: { organization_id?: string }
}

/** The name of the caller’s organization: that of its first party. */
export const organizationIn = ({ parties: [first = ''], expanded }: Me): string =>
  (expanded?.[first] as Party | undefined)?.name ?? ''

/**
 * Identifies the user whom a token names, before the server has verified the token; undefined for a
 * text without claims, which the server rejects.
 */
export function namedUser(token: string): string | undefined {
  try {
    const claims = claimsOf(token)
    return JSON.stringify([claims.iss, userIdIn(claims), claims.user_type, claims.context?.organization_id])
  } catch {
    return undefined
  }
}

/** The claims of a token. */
export function claimsOf(token: string): Claims {
  const payload = (token.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/')
  const bytes = Uint8Array.from(atob(payload), (char) => char.charCodeAt(0))
  return JSON.parse(new TextDecoder().decode(bytes))
}
