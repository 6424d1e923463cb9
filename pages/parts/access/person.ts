import { clientOf } from '../calls.js'
import type { UserType } from '../user-type-names.js'

/** The person who signed in. */
export interface Person {
  /** The same for all tokens of this person, in this role. */
  key: string
  name: string
  userType: UserType
}

/**
 * Asks the server whether it accepts a token, and who signed in.
 * @throws ProblemError when it does not.
 */
export async function personOf(token: string): Promise<Person> {
  const { data } = await clientOf({ token: async () => token, reject: () => {} }).order.getMe()
  const { userType, organization } = data
  const { iss, sub, user_id: id = sub, name = id } = claimsOf(token)
  return { key: JSON.stringify([iss, id, userType, organization]), name: name ?? '', userType }
}

/** The claims of a token that the server accepted. */
export function claimsOf(token: string): { iss?: string; sub?: string; user_id?: string; name?: string } {
  const payload = (token.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/')
  const bytes = Uint8Array.from(atob(payload), (char) => char.charCodeAt(0))
  return JSON.parse(new TextDecoder().decode(bytes))
}
