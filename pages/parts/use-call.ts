import { useEffect, useMemo, useState } from 'preact/hooks'
import { access, hasAccess } from './access/access.js'
import { NoTokenError } from './calls.js'
import { useStore } from './store.js'

/** The state of a call, for the component that shows its result. */
export interface CallState<T> {
  /** The last result, also while the call is repeated and after a failed repeat. */
  data?: T | undefined
  /** Whether the result belongs to other inputs. */
  isStale: boolean
  /** The last error of the call, until it succeeds. */
  error?: unknown
  /** When the call succeeded last, also without a new result. */
  succeededAt?: number | undefined
  reload(): void
}

type Outcome<T> = Pick<CallState<T>, 'data' | 'error' | 'succeededAt'> & {
  /** The inputs of the result and of the error. */
  dataOf?: object
  errorOf?: object
}

/**
 * Calls a function, and repeats the call when one of the inputs changes. The result of a former
 * call is then ignored, and its signal aborted. A call without a token is repeated after a sign-in.
 * @param call undefined calls nothing, and keeps the last result. When it is repeated with the same
 *   inputs it gets its last result.
 * @param repeats values whose change also repeats the call, such as a renewed session. The shown
 *   result is not stale meanwhile; the call gets no `last`.
 */
export function useCall<T>(
  call: ((signal: AbortSignal, last: T | undefined) => Promise<T>) | undefined,
  inputs: readonly unknown[],
  repeats: readonly unknown[] = []
): CallState<T> {
  const [state, setState] = useState<Outcome<T>>({})
  const [turn, setTurn] = useState(0)
  const reload = () => setTurn((last) => last + 1)
  const subject = useMemo(() => ({}), inputs)
  const last = useMemo<{ data?: T }>(() => ({}), [...inputs, ...repeats])

  useEffect(() => {
    if (!call) return
    const stop = new AbortController()
    call(stop.signal, last.data).then(
      (data) => {
        last.data = data
        if (!stop.signal.aborted) setState({ data, dataOf: subject, succeededAt: Date.now() })
      },
      (error: unknown) => {
        if (!stop.signal.aborted) setState((state) => ({ ...state, error, errorOf: subject }))
      }
    )
    return () => stop.abort()
  }, [turn, ...inputs, ...repeats])

  const { data, dataOf, errorOf, succeededAt } = state
  const isAccessible = hasAccess(useStore(access.state))
  const isRepeated = isAccessible && state.error instanceof NoTokenError
  useEffect(() => {
    if (isRepeated) reload()
  }, [isRepeated])
  return {
    data,
    isStale: data !== undefined && dataOf !== subject,
    error: errorOf === subject && !isRepeated ? state.error : undefined,
    succeededAt,
    reload
  }
}
