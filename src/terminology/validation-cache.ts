import { LRUCache } from 'lru-cache'
import { type CodeQuery, type CodeValidation, isValidationUnavailable } from './code-validation.js'
import { singleFlight } from './single-flight.js'

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
 * Caches validation results. Concurrent callers with the same query share one request. Valid and
 * invalid codes are cached separately, so that many invalid codes cannot evict valid ones.
 * @param request validates a code on the server. Its error reaches the caller unless the code was
 *   valid recently.
 */
export function cacheValidations(request: ValidateCode, ttls: CacheTtls = DEFAULT_TTLS): ValidateCode {
  const valid = createCache(ttls.valid + ttls.stale)
  const invalid = createCache(ttls.invalid)
  const share = singleFlight<CodeValidation>()

  function store(key: string, validation: CodeValidation): CodeValidation {
    const [target, other] = validation.valid ? [valid, invalid] : [invalid, valid]
    target.set(key, validation)
    other.delete(key)
    return validation
  }

  return async (query, isKnownSystem, signal) => {
    const key = JSON.stringify([query.url, query.system, query.code])
    const cached = valid.get(key)
    if (cached && valid.getRemainingTTL(key) > ttls.stale) return cached
    const rejected = invalid.get(key)
    if (rejected) return rejected
    try {
      return await share(key, signal, async (sharedSignal) =>
        store(key, await request(query, isKnownSystem, sharedSignal))
      )
    } catch (cause) {
      if (cached && isValidationUnavailable(cause)) return cached
      throw cause
    }
  }
}

const createCache = (ttl: number) =>
  new LRUCache<string, CodeValidation>({
    ttl,
    maxSize: MAX_CACHED_CHARACTERS,
    sizeCalculation: ({ display }, key) => key.length + (display?.length ?? 0) + 1
  })
