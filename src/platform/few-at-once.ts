/** What is to be done: the signal that work gets aborts with the patience, and once another's work has failed. */
interface Few {
  /** How many at once. */
  few: number
  patience: AbortSignal
}

/** Does work for each of many, a few at once, all or nothing: the first failure is thrown, and after it nothing is begun or goes on. */
export async function fewAtOnce<T, R>(
  { few, patience }: Few,
  many: readonly T[],
  work: (one: T, wanted: AbortSignal) => Promise<R>
): Promise<R[]> {
  const failure = new AbortController()
  const wanted = AbortSignal.any([patience, failure.signal])
  const done: R[] = new Array(many.length)
  const rest = many.entries()

  async function goOn(): Promise<void> {
    for (const [at, one] of rest) {
      if (failure.signal.aborted) return
      try {
        done[at] = await work(one, wanted)
      } catch (cause) {
        failure.abort()
        throw cause
      }
    }
  }
  await Promise.all(Array.from({ length: few }, goOn))
  return done
}
