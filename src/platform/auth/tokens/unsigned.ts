import type { Authenticate } from '../identify-caller.js'
import { authProblem } from '../problems.js'
import { bearerToken, decodeToken, invalidToken, LEEWAY_MS } from './access-token.js'
import { callerOf } from './claims.js'

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
