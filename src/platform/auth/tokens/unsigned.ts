import type { Authenticate } from '../access.js'
import { actorFrom, leeway, tokenOf, unauthorized } from './claims.js'
import { type Members, readToken } from './read.js'
import { assertAccessToken } from './token-type.js'

/**
 * Takes tokens as they are, without looking at the signature: for the developer test environment alone. `user_type` is the
 * only claim asked for; a token that has expired, or is not valid yet, is refused all the same.
 */
export const unsignedTokens: Authenticate = async (request) => {
  const token = tokenOf(request)
  const { header, claims } = readToken(token)
  assertAccessToken(header, claims)
  const now = Date.now() / 1000
  if (numericDate(claims, 'exp', Number.POSITIVE_INFINITY) < now - leeway)
    throw unauthorized('The token has expired.')
  if (numericDate(claims, 'nbf', 0) > now + leeway) throw unauthorized('The token is not valid yet.')
  return actorFrom(claims, token)
}

function numericDate(claims: Members, name: 'exp' | 'nbf', absent: number): number {
  const value: unknown = claims[name] ?? absent
  if (typeof value !== 'number') throw unauthorized(`The token’s ${name} is no number.`)
  return value
}
