import type { ComponentChildren } from 'preact'
import { Loaded } from '../../parts/loaded.js'
import type { CallState } from '../../parts/use-call.js'
import { ViewHead, type ViewHeadProps } from '../view-head.js'

interface ListViewProps<T> extends Omit<ViewHeadProps, 'call' | 'children'> {
  call: CallState<T>
  subtitle?: ComponentChildren
  tabs?: ComponentChildren
  /** Fields that choose the shown entries. */
  filter?: ComponentChildren
  children(data: T): ComponentChildren
}

/**
 * A view of a list: its heading, and a card with its tabs, its filter, and the result of the call.
 */
export const ListView = <T,>({ call, subtitle, tabs, filter, children, ...head }: ListViewProps<T>) => (
  <>
    <ViewHead {...head} call={call}>
      {subtitle && <p class="soft">{subtitle}</p>}
    </ViewHead>
    <div class="card">
      {tabs}
      {filter && <div class="filter">{filter}</div>}
      <Loaded call={call}>{children}</Loaded>
    </div>
  </>
)
