import type { ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'
import { ErrorMessage } from './errors.js'
import type { CallState } from './use-call.js'

/** Shows the result of a call once it is there. What is typed in it stays when a repeat fails. */
export function Loaded<T>({ call, children }: { call: CallState<T>; children(data: T): ComponentChildren }) {
  const last = useRef<T | undefined>(undefined)
  last.current = call.data ?? last.current
  if (last.current === undefined && call.error === undefined) return <p aria-busy="true">…</p>
  return (
    <>
      <ErrorMessage error={call.error} />
      {last.current !== undefined && children(last.current)}
    </>
  )
}
