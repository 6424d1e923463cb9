import { Aborted, unlessAborted } from '../platform/http-client/errors.js'

/** Asks unless the same, by its key, is being asked already. `wanted` aborts when nobody waits for the answer any more. */
type Share<T> = (key: string, patience: AbortSignal, ask: (wanted: AbortSignal) => Promise<T>) => Promise<T>

/** Lets callers that ask the same at once share one question, each as long as its own patience lasts. */
export function singleFlight<T>(): Share<T> {
  const underWay = new Map<string, Shared<T>>()

  function begin(key: string, ask: (wanted: AbortSignal) => Promise<T>): Shared<T> {
    const wanted = new AbortController()
    const shared = { answer: ask(wanted.signal), callers: 0, end: () => wanted.abort() }
    underWay.set(key, shared)
    return shared
  }

  function leave(key: string, shared: Shared<T>): void {
    if (--shared.callers > 0) return
    // Before it ends, so that who comes next asks anew.
    if (underWay.get(key) === shared) underWay.delete(key)
    shared.end()
  }

  return async (key, patience, ask) => {
    if (patience.aborted) throw new Aborted()
    const shared = underWay.get(key) ?? begin(key, ask)
    shared.callers++
    try {
      return await unlessAborted(patience, shared.answer)
    } finally {
      leave(key, shared)
    }
  }
}

interface Shared<T> {
  answer: Promise<T>
  /** How many wait for the answer. */
  callers: number
  end: () => void
}
