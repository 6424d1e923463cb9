import { setTimeout as pause } from 'node:timers/promises'

/** What comes within so many milliseconds; else the error. What comes later is nobody's any more, but comes. */
export async function within<T>(milliseconds: number, answer: Promise<T>, late: () => Error): Promise<T> {
  const done = new AbortController()
  const end = pause(milliseconds, undefined, { signal: done.signal }).then(() => {
    throw late()
  })
  try {
    return await Promise.race([answer, end])
  } finally {
    done.abort()
    end.catch(() => {})
  }
}
