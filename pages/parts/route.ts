import { createStore, type Store } from './store.js'

/** What the fragment of the URL says: `#/orders/4711?status=DRAFT`. */
export interface Route {
  /** The decoded segments, such as `orders` and `4711`. */
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

/** The route of the page. Fragments are not sent to the server, so it does not log them. */
export const route: Store<Route> = current

/** The URL of a route, for links and for `location.assign`. */
export function routeUrl(path: readonly string[], query: Readonly<Record<string, string>> = {}): string {
  const search = new URLSearchParams(query).toString()
  return `#/${path.map(encodeURIComponent).join('/')}${search === '' ? '' : `?${search}`}`
}
