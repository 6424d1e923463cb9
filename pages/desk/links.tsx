import type { ComponentChildren } from 'preact'
import { createStore } from '../parts/store.js'

/**
 * The content of the fragment of the URL: `#/order/4711?unsent`. Fragments are not sent to the
 * server, so no log names a patient.
 */
interface Route {
  /** The decoded segments, such as `order` and `4711`. */
  path: readonly string[]
  query: URLSearchParams
}

/** The part of the route that a view reads. */
export interface ViewProps {
  /** The second segment; empty without one. */
  id: string
  query: URLSearchParams
}

function currentRoute(): Route {
  const [path = '', query = ''] = location.hash.replace(/^#\/?/, '').split('?')
  return {
    path: path.split('/').filter(Boolean).map(decoded),
    query: new URLSearchParams(query)
  }
}

/** A malformed segment stays unchanged and matches no view. Any user may have written the URL. */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

export const route = createStore<Route>(currentRoute())

/** The scroll position of each entry of the browser's history, by the number in its state. */
const positions = new Map<number, number>()
let entry = numberedEntry(false)
history.scrollRestoration = 'manual'

window.addEventListener('hashchange', () => {
  positions.set(entry.number, scrollY)
  entry = numberedEntry(true)
  route.set(currentRoute())
})

/** The present entry of the browser's history, with a number that it keeps. */
function numberedEntry(isArrival: boolean) {
  const number: number = history.state?.number ?? Date.now()
  history.replaceState({ number }, '')
  return { number, isArrival }
}

/** Moves the focus to the heading of an opened view, and restores its scroll position. */
export function arriveAt(heading: HTMLElement | null): void {
  if (!entry.isArrival) return
  entry.isArrival = false
  heading?.focus({ preventScroll: true })
  scrollTo(0, positions.get(entry.number) ?? 0)
}

type Query = Readonly<Record<string, string>>

function routeUrl(path: readonly string[], query: Query = {}): string {
  const search = new URLSearchParams(query).toString()
  return `#/${path.map(encodeURIComponent).join('/')}${search === '' ? '' : `?${search}`}`
}

interface DeskLinkProps {
  to: readonly string[]
  query?: Query | undefined
  class?: string | undefined
  'aria-current'?: 'page' | undefined
  children: ComponentChildren
}

export const DeskLink = ({ to, query, ...attributes }: DeskLinkProps) => (
  <a href={routeUrl(to, query)} {...attributes} />
)

export const openView = (to: readonly string[], query: Query = {}) => location.assign(routeUrl(to, query))

/** Shows a view with another query, without an entry in the browser's history. */
export function replaceQuery(to: readonly string[], query: Query): void {
  history.replaceState(history.state, '', routeUrl(to, query))
  route.set(currentRoute())
}

/** Removes the patient and the words of a search from the URL. */
export function leavePatient(): void {
  const { path } = route.get()
  replaceQuery(path[0] === 'patient' || path[0] === 'new' ? [] : path, {})
}
