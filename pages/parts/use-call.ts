import { useEffect, useState } from 'preact/hooks'

/** The state of a call, for the component that shows its result. */
export interface CallState<T> {
  /** The last result, also while the call is repeated. */
  data?: T | undefined
  error?: unknown
  isLoading: boolean
  /** Repeats the call. */
  reload(): void
}

/**
 * Calls a function, and again when one of the inputs changes. The result of a former call is then
 * ignored, and its signal aborted.
 * @param call undefined calls nothing.
 */
export function useCall<T>(
  call: ((signal: AbortSignal) => Promise<T>) | undefined,
  inputs: readonly unknown[]
): CallState<T> {
  const [state, setState] = useState<Omit<CallState<T>, 'reload'>>({ isLoading: call !== undefined })
  const [turn, setTurn] = useState(0)
  const reload = () => setTurn((last) => last + 1)

  useEffect(() => {
    if (!call) return setState({ isLoading: false })
    const stop = new AbortController()
    const settle = (next: Omit<CallState<T>, 'reload'>) => !stop.signal.aborted && setState(next)
    setState(({ data }) => ({ data, isLoading: true }))
    call(stop.signal).then(
      (data) => settle({ data, isLoading: false }),
      (error: unknown) => settle({ error, isLoading: false })
    )
    return () => stop.abort()
  }, [turn, ...inputs])

  return { ...state, reload }
}
