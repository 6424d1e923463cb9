import type { ComponentChildren } from 'preact'
import { ErrorMessage } from './errors.js'
import { partsText } from './parts-texts.js'
import type { CallState } from './use-call.js'

/** Shows the result of a call once it is there. What is typed in it stays when a repeat fails. */
export const Loaded = <T,>({
  call: { data, error },
  children
}: {
  call: CallState<T>
  children(data: T): ComponentChildren
}) => (
  <>
    <ErrorMessage error={error} />
    {data !== undefined ? children(data) : error === undefined && <Skeleton />}
  </>
)

const Skeleton = () => (
  <div class="skeleton" role="status" aria-busy="true">
    <span class="hidden">{partsText('loading')}</span>
    <i />
    <i />
    <i />
  </div>
)
