/** Rejects with `late()` when `promise` has not settled after `ms` milliseconds. It does not cancel `promise`. */
export function withTimeout<T>(ms: number, promise: Promise<T>, late: () => Error): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(late()), ms)
    promise.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
