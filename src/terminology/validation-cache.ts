import { LRUCache } from 'lru-cache'
import { type CodeValidation, type Question, validationUnavailable } from './code-validation.js'
import { singleFlight } from './single-flight.js'

/** For how many milliseconds verdicts are remembered. */
export interface MemorySpans {
  /** A legal coding is not asked again for so long. */
  legal: number
  /** And is still taken for legal for so much longer, while it cannot be asked. */
  stale: number
  /** A coding that is not legal is not asked again for so long. */
  illegal: number
}

const minute = 60_000
const hour = 60 * minute
const usual: MemorySpans = { legal: hour, stale: 24 * hour, illegal: minute }

/** Tells whether a coding is in a value set, as long as there is patience. */
type Judge = (question: Question, isKnownSystem: boolean, patience: AbortSignal) => Promise<CodeValidation>

/** Characters of codings and displays that are remembered at most, of each kind. */
const room = 4_000_000

/**
 * Remembers what was answered. Callers that ask the same at once share one question. Legal and illegal codings are kept apart, so
 * that no amount of nonsense drives out what is known to be legal.
 * @param ask asks the server; what it throws reaches the caller unless there is an older verdict to fall back on.
 */
export function cacheValidations(ask: Judge, spans: MemorySpans = usual): Judge {
  const legal = memory(spans.legal + spans.stale)
  const illegal = memory(spans.illegal)
  const share = singleFlight<CodeValidation>()

  function remember(key: string, verdict: CodeValidation): CodeValidation {
    const [to, from] = verdict.legal ? [legal, illegal] : [illegal, legal]
    to.set(key, verdict)
    from.delete(key)
    return verdict
  }

  return async (question, isKnownSystem, patience) => {
    const key = JSON.stringify([question.url, question.system, question.code])
    const known = legal.get(key)
    if (known && legal.getRemainingTTL(key) > spans.stale) return known
    const refused = illegal.get(key)
    if (refused) return refused
    try {
      return await share(key, patience, async (wanted) =>
        remember(key, await ask(question, isKnownSystem, wanted))
      )
    } catch (cause) {
      if (known && validationUnavailable(cause)) return known
      throw cause
    }
  }
}

const memory = (ttl: number) =>
  new LRUCache<string, CodeValidation>({
    ttl,
    maxSize: room,
    sizeCalculation: ({ display }, key) => key.length + (display?.length ?? 0) + 1
  })
