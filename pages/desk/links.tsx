import type { ComponentChildren } from 'preact'
import { createStore, type Store } from '../parts/store.js'

/**
 * What the fragment of the URL says: `#/order/4711?unsent`. Fragments are not sent to the server,
 * so no log names a patient.
 */
export interface Route {
  /** The decoded segments, such as `order` and `4711`. */
  path: readonly string[]
  query: URLSearchParams
}

function currentRoute(): Route {
  const [path = '', query = ''] = location.hash.replace(/^#\/?/, '').split('?')
  return {
    path: path.split('/').filter(Boolean).map(decoded),
    query: new URLSearchParams(query)
  }
}

/** A malformed segment stays as it is, and names nothing: anybody may have written the URL. */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

const current = createStore<Route>(currentRoute())
window.addEventListener('hashchange', () => current.set(currentRoute()))

/** The route of the page. */
export const route: Store<Route> = current

type Query = Readonly<Record<string, string>>

function routeUrl(path: readonly string[], query: Query = {}): string {
  const search = new URLSearchParams(query).toString()
  return `#/${path.map(encodeURIComponent).join('/')}${search === '' ? '' : `?${search}`}`
}

interface DeskLinkProps {
  to: readonly string[]
  query?: Query
  role?: 'button' | undefined
  'aria-current'?: 'page' | undefined
  children: ComponentChildren
}

/** A link to a view. */
export const DeskLink = ({ to, query, ...attributes }: DeskLinkProps) => (
  <a href={routeUrl(to, query)} {...attributes} />
)

/** Opens a view. */
export const openView = (to: readonly string[], query: Query = {}) => location.assign(routeUrl(to, query))

/** Shows a view with another query, without an entry in the browser's history. */
export const replaceQuery = (to: readonly string[], query: Query) => location.replace(routeUrl(to, query))
