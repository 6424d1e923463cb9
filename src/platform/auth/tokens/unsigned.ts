import { isId } from '../../util/resource-urls.js'
import type { Authenticate } from '../access.js'
import { bearerToken, decodeToken, LEEWAY_MS, tokenExpired, unauthorized } from './access-token.js'
import { callerOf } from './claims.js'

/** Accepts tokens without verifying the signature, for devtest only. `exp` may be absent. */
export const unsignedTokens: Authenticate = async (request) => {
  const token = bearerToken(request)
  const { claims } = decodeToken(token)
  const caller = callerOf(claims)
  const { expiresAt = Number.POSITIVE_INFINITY } = caller
  if (Date.now() > 1000 * expiresAt + LEEWAY_MS) throw unauthorized(tokenExpired)
  const { new_id: newId } = claims as { new_id?: unknown }
  return { ...caller, token, newId: typeof newId === 'string' && isId(newId) ? newId : undefined }
}
