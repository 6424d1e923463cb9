import type { ComponentChildren } from 'preact'
import { routeUrl } from '../../pages/parts/route.js'

type Query = Readonly<Record<string, string>>

/** A link to a view. What identifies a patient is only in the fragment of the page's URL. */
export function DeskLink({
  to,
  query = {},
  isButton = false,
  isCurrent = false,
  children
}: {
  to: readonly string[]
  query?: Query
  isButton?: boolean
  isCurrent?: boolean
  children: ComponentChildren
}) {
  return (
    <a
      href={routeUrl(to, query)}
      {...(isButton && { role: 'button' })}
      aria-current={isCurrent ? 'page' : undefined}
    >
      {children}
    </a>
  )
}

/** Opens a view. */
export const openView = (to: readonly string[], query: Query = {}) => location.assign(routeUrl(to, query))

/** Shows a view with another query, without an entry in the browser's history. */
export const replaceQuery = (to: readonly string[], query: Query) => location.replace(routeUrl(to, query))
