import { LRUCache } from 'lru-cache'
import { RemoteUnavailable } from '../platform/remote.js'
import { within } from '../platform/within.js'
import type { Question, Verdict } from './verdict.js'

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

/** Characters of codings and displays that are remembered at most, of each kind. */
const room = 4_000_000

/**
 * Remembers what was answered. Callers that ask the same at once share one question. Legal and illegal codings are kept apart, so
 * that no amount of nonsense drives out what is known to be legal.
 * @param ask asks the server; what it throws reaches the caller unless there is an older verdict to fall back on.
 * @param patience milliseconds after which a caller is not kept waiting any longer; the question stays under way.
 */
export function rememberVerdicts(
  ask: (question: Question, isKnownSystem: boolean) => Promise<Verdict>,
  patience: number,
  spans: MemorySpans = usual
) {
  const legal = memory(spans.legal + spans.stale)
  const illegal = memory(spans.illegal)
  const underWay = new Map<string, Promise<Verdict>>()

  function askOnce(key: string, question: Question, isKnownSystem: boolean): Promise<Verdict> {
    const asked = underWay.get(key)
    if (asked) return asked
    const asking = ask(question, isKnownSystem)
      .then((verdict) => {
        const [to, from] = verdict.legal ? [legal, illegal] : [illegal, legal]
        to.set(key, verdict)
        from.delete(key)
        return verdict
      })
      .finally(() => underWay.delete(key))
    underWay.set(key, asking)
    return asking
  }

  return async function judge(question: Question, isKnownSystem: boolean): Promise<Verdict> {
    const key = JSON.stringify([question.url, question.system, question.code])
    const known = legal.get(key)
    if (known && legal.getRemainingTTL(key) > spans.stale) return known
    const refused = illegal.get(key)
    if (refused) return refused
    try {
      return await within(patience, askOnce(key, question, isKnownSystem), late)
    } catch (error) {
      if (known) return known
      throw error
    }
  }
}

const late = () => new RemoteUnavailable('Too many questions are under way.', 1)

const memory = (ttl: number) =>
  new LRUCache<string, Verdict>({
    ttl,
    maxSize: room,
    sizeCalculation: ({ display }, key) => key.length + (display?.length ?? 0) + 1
  })
