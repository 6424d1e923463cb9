import { useEffect, useMemo, useState } from 'preact/hooks'

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
 * @param call undefined calls nothing, and keeps the last result. When it is repeated with the same
 *   inputs it gets its last result.
 */
export function useCall<T>(
  call: ((signal: AbortSignal, last: T | undefined) => Promise<T>) | undefined,
  inputs: readonly unknown[]
): CallState<T> {
  const [state, setState] = useState<Omit<CallState<T>, 'reload'>>({})
  const [turn, setTurn] = useState(0)
  const reload = () => setTurn((last) => last + 1)
  const last = useMemo<{ data?: T }>(() => ({}), inputs)

  useEffect(() => {
    if (!call) return
    const stop = new AbortController()
    const settle = (next: typeof state) =>
      !stop.signal.aborted && setState((state) => ({ ...state, ...next }))
    setState(({ data }) => ({ data }))
    call(stop.signal, last.data).then(
      (data) => {
        last.data = data
        settle({ data })
      },
      (error: unknown) => settle({ error })
    )
    return () => stop.abort()
  }, [turn, ...inputs])

  return { ...state, reload }
}
