/** Runs work with the same key one after the other, in this process. */
export type Turns = <T>(key: string, run: () => Promise<T>) => Promise<T>

/** Creates turns of their own. A failure does not affect those that wait. */
export function createTurns(): Turns {
  const last = new Map<string, Promise<unknown>>()
  return (key, run) => {
    const result = (last.get(key) ?? Promise.resolve()).then(run)
    const ended = result
      .catch(() => {})
      .finally(() => {
        if (last.get(key) === ended) last.delete(key)
      })
    last.set(key, ended)
    return result
  }
}
