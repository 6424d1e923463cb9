import { LRUCache } from 'lru-cache'
import { Aborted, rejectOnAbort } from '../platform/http-client/errors.js'
import { type CodeQuery, type CodeValidation, isValidationUnavailable } from './code-validation.js'

/** Cache lifetimes in ms. */
export interface CacheTtls {
  valid: number
  /** How much longer a valid code is accepted while it cannot be validated. */
  stale: number
  invalid: number
}

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DEFAULT_TTLS: CacheTtls = { valid: HOUR_MS, stale: 24 * HOUR_MS, invalid: MINUTE_MS }

/** Validates a code. Rejects when the signal aborts. */
type ValidateCode = (query: CodeQuery, isKnownSystem: boolean, signal: AbortSignal) => Promise<CodeValidation>

/** Characters of codings and displays, for each of the two caches. */
const MAX_CACHED_CHARACTERS = 4_000_000

/**
 * Caches validation results. Concurrent callers with the same query share one request, for which
 * each waits until its own signal aborts. Valid and invalid codes are cached separately, so that
 * many invalid codes cannot evict valid ones.
 * @param request validates a code on the server. Its error reaches the caller unless the code was
 *   valid recently.
 */
export function cacheValidations(request: ValidateCode, ttls: CacheTtls = DEFAULT_TTLS): ValidateCode {
  const invalid = new LRUCache<string, CodeValidation>({ ttl: ttls.invalid, ...size })
  const valid = new LRUCache<string, CodeValidation, Parameters<ValidateCode>>({
    ttl: ttls.valid + ttls.stale,
    ...size,
    noDeleteOnFetchRejection: true,
    async fetchMethod(key, _former, { context: [query, isKnownSystem], signal }) {
      const validation = await request(query, isKnownSystem, signal)
      if (validation.valid) return validation
      invalid.set(key, validation)
      return undefined
    }
  })

  return async (...context) => {
    const [query, , signal] = context
    const key = JSON.stringify([query.url, query.system, query.code])
    const cached = valid.get(key)
    if (cached && valid.getRemainingTTL(key) > ttls.stale) return cached
    const rejected = invalid.get(key)
    if (rejected) return rejected
    if (signal.aborted) throw new Aborted()
    try {
      const found = await rejectOnAbort(signal, valid.fetch(key, { context, forceRefresh: true }))
      if (found) return found
      // A code that was withdrawn.
      valid.delete(key)
      return invalid.get(key) ?? { valid: false, display: null }
    } catch (cause) {
      if (cached && isValidationUnavailable(cause)) return cached
      throw cause
    }
  }
}

const size = {
  maxSize: MAX_CACHED_CHARACTERS,
  sizeCalculation: ({ display }: CodeValidation, key: string) => key.length + (display?.length ?? 0) + 1
}
