import { LRUCache } from 'lru-cache'
import type { SlotOwner } from '../platform/concurrency/quotas.js'
import { type CodeQuery, type CodeValidation, isValidationUnavailable } from './code-validation.js'

const HOUR_MS = 3_600_000

/** Milliseconds for which a valid code is not validated again. */
const VALID_MS = HOUR_MS

/** Further milliseconds for which a valid code is accepted while it cannot be validated. */
const STALE_MS = 24 * HOUR_MS

/** Characters of the cached codings and displays. */
const MAX_CACHED_CHARACTERS = 4_000_000

export type ValidateCode = (
  query: CodeQuery,
  isKnownSystem: boolean,
  signal: AbortSignal,
  owner?: SlotOwner
) => Promise<CodeValidation>

/**
 * Caches valid codes. Invalid codes are validated each time, because they are rare and may become
 * valid.
 * @param request validates a code on the server. Its error reaches the caller unless the code was
 *   valid recently.
 */
export function cacheValidations(request: ValidateCode): ValidateCode {
  const cache = new LRUCache<string, CodeValidation>({
    ttl: VALID_MS + STALE_MS,
    maxSize: MAX_CACHED_CHARACTERS,
    sizeCalculation: ({ display }, key) => key.length + (display?.length ?? 0) + 1
  })
  return async (query, ...others) => {
    const key = JSON.stringify([query.url, query.system, query.code])
    const cached = cache.get(key)
    if (cached && cache.getRemainingTTL(key) > STALE_MS) return cached
    try {
      const validation = await request(query, ...others)
      if (validation.valid) cache.set(key, validation)
      else cache.delete(key)
      return validation
    } catch (cause) {
      if (cached && isValidationUnavailable(cause)) return cached
      throw cause
    }
  }
}
