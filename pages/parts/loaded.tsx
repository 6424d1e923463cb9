import type { ComponentChildren } from 'preact'
import { ErrorMessage } from './errors.js'
import type { Call } from './use-call.js'

/** Shows the result of a call once it is there. */
export function Loaded<T>({ call, children }: { call: Call<T>; children(data: T): ComponentChildren }) {
  if (call.error !== undefined) return <ErrorMessage error={call.error} />
  return call.data === undefined ? <p aria-busy="true">…</p> : children(call.data)
}
