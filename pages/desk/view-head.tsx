import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { deskText } from './desk-texts.js'
import { arriveAt } from './links.js'

interface ViewHeadProps {
  title: string
  /** The title of the browser's tab, where it says more. */
  tabTitle?: string
  /** Whether the content of the view is there: only then it can be scrolled. */
  isLoaded?: boolean
  /** What the user can do. */
  actions?: ComponentChildren
  children?: ComponentChildren
}

/** The heading of a view. It gets the focus when the view is opened. */
export function ViewHead({ title, tabTitle = title, isLoaded = true, actions, children }: ViewHeadProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  useLayoutEffect(() => {
    document.title = `${tabTitle} – ${deskText('title')}`
  })
  useLayoutEffect(() => {
    if (isLoaded) arriveAt(heading.current)
  }, [isLoaded])
  return (
    <div class="head">
      <div class="stack">
        <h1 ref={heading} tabindex={-1}>
          {title}
        </h1>
        {children}
      </div>
      {actions && <div class="row actions">{actions}</div>}
    </div>
  )
}
