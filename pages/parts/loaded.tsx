import type { ComponentChildren } from 'preact'
import { ErrorMessage } from './errors.js'
import { partsText } from './parts-texts.js'
import type { CallState } from './use-call.js'

/**
 * Shows the result of a call once it is available. Typed content in it stays when a repeat fails. A
 * result of other inputs is inert, and hidden when the call fails.
 * @param head the heading of an error without a result, if the result has its own heading.
 * @param missing the text for a missing resource.
 */
export const Loaded = <T,>({
  call: { data, isStale, error },
  head,
  missing,
  children
}: {
  call: CallState<T>
  head?: ComponentChildren
  missing?: string
  children(data: T): ComponentChildren
}) => {
  const hasError = error !== undefined
  const isHidden = data === undefined || (isStale && hasError)
  return (
    <>
      {hasError && isHidden && head}
      <ErrorMessage error={error} missing={missing} />
      {!isHidden && (
        <div class="loaded" inert={isStale}>
          {children(data)}
        </div>
      )}
      {!hasError && isHidden && <Skeleton />}
    </>
  )
}

const Skeleton = () => (
  <div class="skeleton" role="status" aria-busy="true">
    <span class="hidden">{partsText('loading')}</span>
    <i />
    <i />
    <i />
  </div>
)
