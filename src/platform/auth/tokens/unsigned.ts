import type { Authenticate } from '../access.js'
import { bearerToken, decodeToken, LEEWAY_SECONDS, unauthorized } from './access-token.js'
import { callerOf } from './claims.js'

/** Accepts tokens without verifying the signature, for devtest only. Checks `exp` and `nbf`. */
export const unsignedTokens: Authenticate = async (request) => {
  const token = bearerToken(request)
  const { claims } = decodeToken(token)
  const [exp, nbf] = [claims.exp ?? Number.POSITIVE_INFINITY, claims.nbf ?? 0]
  if (typeof exp !== 'number' || typeof nbf !== 'number')
    throw unauthorized('The token’s exp and nbf must be numbers.')
  const second = Date.now() / 1000
  if (exp < second - LEEWAY_SECONDS) throw unauthorized('Token expired (exp).')
  if (nbf > second + LEEWAY_SECONDS) throw unauthorized('Token not yet valid (nbf).')
  return { ...callerOf(claims), token }
}
