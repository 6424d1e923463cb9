/** What comes within so many milliseconds; else the error. What comes later is nobody's any more, but comes. */
export function within<T>(milliseconds: number, answer: Promise<T>, late: () => Error): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(late()), milliseconds)
    answer.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
