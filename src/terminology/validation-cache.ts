import { LRUCache } from 'lru-cache'
import { Aborted, rejectOnAbort } from '../platform/http-client/errors.js'
import { type CodeQuery, type CodeValidation, isValidationUnavailable } from './code-validation.js'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

/** Milliseconds for which a result is kept. */
const VALID_MS = HOUR_MS
const INVALID_MS = MINUTE_MS

/** How much longer a valid code is accepted while it cannot be validated. */
const STALE_MS = 24 * HOUR_MS

type ValidateCode = (query: CodeQuery, isKnownSystem: boolean) => Promise<CodeValidation>
/** Rejects when the signal aborts. */
type ValidateInTime = (...args: [...Parameters<ValidateCode>, signal: AbortSignal]) => Promise<CodeValidation>

/** Characters of codings and displays, for each of the two caches. */
const MAX_CACHED_CHARACTERS = 4_000_000

/**
 * Caches validation results. Concurrent callers with the same query share one request, for which
 * each waits until its own signal aborts; the request goes on without them. Valid and invalid codes
 * are cached separately, so that many invalid codes cannot evict valid ones.
 * @param request validates a code on the server. Its error reaches the caller unless the code was
 *   valid recently.
 */
export function cacheValidations(request: ValidateCode): ValidateInTime {
  const invalid = new LRUCache<string, CodeValidation>({ ttl: INVALID_MS, ...size })
  const valid = new LRUCache<string, CodeValidation>({ ttl: VALID_MS + STALE_MS, ...size })
  // Not the `fetch` of LRUCache: an entry that is evicted meanwhile rejects.
  const pending = new Map<string, Promise<CodeValidation>>()

  async function validate(key: string, ...query: Parameters<ValidateCode>): Promise<CodeValidation> {
    const validation = await request(...query)
    if (validation.valid) valid.set(key, validation)
    else {
      valid.delete(key)
      invalid.set(key, validation)
    }
    return validation
  }

  return async (query, isKnownSystem, signal) => {
    const key = JSON.stringify([query.url, query.system, query.code])
    const cached = valid.get(key)
    if (cached && valid.getRemainingTTL(key) > STALE_MS) return cached
    const rejected = invalid.get(key)
    if (rejected) return rejected
    if (signal.aborted) throw new Aborted()
    const shared = pending.get(key) ?? validate(key, query, isKnownSystem).finally(() => pending.delete(key))
    pending.set(key, shared)
    try {
      return await rejectOnAbort(signal, shared)
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
