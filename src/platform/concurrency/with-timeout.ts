/** Rejects with `makeError()` if the promise has not settled in time. Does not cancel it. */
export function withTimeout<T>(timeoutMs: number, promise: Promise<T>, makeError: () => Error): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(makeError()), timeoutMs)
    promise.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
