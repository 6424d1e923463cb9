import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import type { CallState } from '../parts/use-call.js'
import { deskText } from './desk-texts.js'
import { arriveAt } from './links.js'

export interface ViewHeadProps {
  title: string
  /** The content of the heading, if it is more than a text. */
  heading?: ComponentChildren
  /** The title of the browser's tab, if it differs from the heading. */
  tabTitle?: string
  /** The call whose result the view shows. The view can be scrolled once the call has ended. */
  call?: CallState<unknown>
  /** The actions of the user. */
  actions?: ComponentChildren
  children?: ComponentChildren
}

/** The heading of a view, which gets the focus when the view is opened. */
export function ViewHead({
  title,
  heading = title,
  tabTitle = title,
  call,
  actions,
  children
}: ViewHeadProps) {
  const element = useRef<HTMLHeadingElement>(null)
  const isLoaded = !call || (call.data !== undefined && !call.isStale) || call.error !== undefined
  useLayoutEffect(() => {
    document.title = `${tabTitle} – ${deskText('title')}`
  })
  useLayoutEffect(() => {
    if (isLoaded) arriveAt(element.current)
  }, [isLoaded])
  return (
    <div class="head">
      <div class="stack">
        <h1 ref={element} tabindex={-1}>
          {heading}
        </h1>
        {children}
      </div>
      {actions && <div class="row actions">{actions}</div>}
    </div>
  )
}

export const PrintButton = ({ isQuiet = false }) => (
  <button type="button" class={isQuiet ? 'quiet' : undefined} onClick={() => print()}>
    {deskText('print')}
  </button>
)
