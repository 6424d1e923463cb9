import { useEffect, useState } from 'preact/hooks'

/** The state of a call, for the component that shows its result. */
export interface CallState<T> {
  /** The last result, also while the call is repeated and when that fails. */
  data?: T | undefined
  error?: unknown
  /** Repeats the call. */
  reload(): void
}

/**
 * Calls a function, and again when one of the inputs changes. The result of a former call is then
 * ignored, and its signal aborted.
 * @param call undefined calls nothing, and keeps the last result.
 */
export function useCall<T>(
  call: ((signal: AbortSignal) => Promise<T>) | undefined,
  inputs: readonly unknown[]
): CallState<T> {
  const [state, setState] = useState<Omit<CallState<T>, 'reload'>>({})
  const [turn, setTurn] = useState(0)
  const reload = () => setTurn((last) => last + 1)

  useEffect(() => {
    if (!call) return
    const stop = new AbortController()
    const settle = (next: typeof state) => !stop.signal.aborted && setState((last) => ({ ...last, ...next }))
    setState(({ data }) => ({ data }))
    call(stop.signal).then(
      (data) => settle({ data }),
      (error: unknown) => settle({ error })
    )
    return () => stop.abort()
  }, [turn, ...inputs])

  return { ...state, reload }
}
