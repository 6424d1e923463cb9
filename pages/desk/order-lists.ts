import type { Order, Page, SslClient } from '../../clients/typescript/src/index.js'
import { draftAuthor } from '../parts/drafts.js'
import type { ListPart } from '../parts/list.js'
import { createStore } from '../parts/store.js'
import type { DeskTextKey } from './desk-texts.js'
import type { Session } from './session.js'

type OrderQuery = NonNullable<Parameters<SslClient['order']['listOrder']>[0]>

/** A list of orders that a tab shows. */
export interface OrderList {
  /** Its name, which is also the key of its text. */
  name: DeskTextKey
  query: OrderQuery
  /** The colour of its count. */
  colour?: 'amber' | 'red'
}

const isIn = (...status: Order['status']['code'][]) => ({ status, sort: 'due' }) as const

const returned: OrderList = {
  name: 'returned',
  query: { attention: ['RETURNED'], sort: 'due' },
  colour: 'amber'
}
const drafts: OrderList = { name: 'drafts', query: { status: ['DRAFT'], sort: '-updated' } }

/** The lists of the user, first those that wait for the user. */
export const listsOf = ({ isProvider, side }: Session): readonly OrderList[] => [
  { name: 'questions', query: { awaiting: side, sort: 'due' }, colour: 'amber' },
  ...(isProvider ? [] : [returned]),
  { name: 'late', query: { attention: ['LATE', 'UNANSWERED'], sort: 'due' }, colour: 'red' },
  ...(isProvider ? [] : [drafts]),
  { name: isProvider ? 'newOrders' : 'sent', query: isIn('SUBMITTED') },
  { name: 'accepted', query: isIn('ACCEPTED') },
  { name: 'ended', query: { ...isIn('REJECTED', 'CANCELLED'), sort: '-updated' }, colour: 'red' },
  { name: 'closed', query: { ...isIn('FULFILLED'), sort: '-updated' } }
]

/** The number of orders in each list; in the list of ended orders those since the last visit. */
export type Counts = Readonly<Record<string, string>>

export const orderCounts = createStore<Counts>({})

const DAYS_AT_FIRST = 7
/**
 * The browser stores the time of the last visit under a hash of the user, also after the sign-out.
 * Undefined if the browser has no hashes, because the page came without TLS from another host.
 */
async function visitKey({ person }: Session): Promise<string | undefined> {
  if (!crypto.subtle) return undefined
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(person))
  return `desk-visit-${btoa(String.fromCharCode(...new Uint8Array(hash)))}`
}
let seenUntil: string | undefined

/** The time of the last visit to the list of ended orders; before the first visit some days ago. */
const lastVisit = async (session: Session): Promise<string> =>
  localStorage.getItem((await visitKey(session)) ?? '') ??
  new Date(Date.now() - DAYS_AT_FIRST * 86_400_000).toISOString().slice(0, 10)

/** Stores that the user saw the list of ended orders. */
export async function rememberVisit(session: Session): Promise<void> {
  const seen = seenUntil
  const key = await visitKey(session)
  if (key !== undefined && seen !== undefined) localStorage.setItem(key, seen)
}

/** The pages that a session counted last. */
const counted = new WeakMap<Session, Map<string, Page<Order>>>()

/**
 * Counts the orders of each list on the server. The result stays the same object until a count
 * changes.
 */
export async function loadCounts(session: Session, signal: AbortSignal): Promise<Counts> {
  const known = counted.get(session) ?? new Map<string, Page<Order>>()
  counted.set(session, known)
  const visit = await lastVisit(session)
  const found = await Promise.all(
    listsOf(session).map(async ({ name, query }) => {
      const since = name === 'ended' ? { updatedSince: visit, sort: '-created' as const } : {}
      const wanted = { ...query, ...since, count: true, limit: 1 }
      const page = await session.client.order.listOrder(wanted, { signal }).first(known.get(name))
      // A cached page would repeat the earlier time of its read.
      if (page.updatedUntil === undefined) known.set(name, page)
      else seenUntil = page.updatedUntil
      return [name, page.totalCount ?? ''] as const
    })
  )
  signal.throwIfAborted()
  if (found.some(([name, count]) => orderCounts.get()[name] !== count))
    orderCounts.set(Object.fromEntries(found))
  return orderCounts.get()
}

/** The lists in which a search finds orders, with the number of orders that it finds. */
export async function listsWith(q: string, session: Session, signal: AbortSignal) {
  const found = await Promise.all(
    listsOf(session).map(async ({ name, query }) => {
      const wanted = { ...query, q, count: true, limit: 1 }
      const { totalCount = '' } = await session.client.order.listOrder(wanted, { signal }).first()
      return { name, count: totalCount }
    })
  )
  return found.filter(({ count }) => count !== '0')
}

/** The list that was shown last, and the words that were searched for in it. */
let shown: { list: DeskTextKey; q: string; ids: readonly string[]; total: string } | undefined

/** Stores the first orders of a list, of which a page is shown. */
export function rememberPlaces({ name }: OrderList, q: string, part: ListPart<Order>): void {
  const ids = part.entries.map(({ id }) => id)
  shown = { list: name, q, ids, total: part.totalCount ?? String(ids.length) }
}

// The counts and the last list of the previous user are discarded.
draftAuthor.onChange(() => {
  orderCounts.set({})
  seenUntil = undefined
  shown = undefined
})

/**
 * The position of an order in the list that was shown last, from 1; undefined if it is not in the
 * list.
 */
export function placeOf(id: string) {
  const at = shown?.ids.indexOf(id) ?? -1
  if (!shown || at < 0) return undefined
  const { list, q, ids, total } = shown
  return { list, q, place: at + 1, total, previous: ids[at - 1], next: ids[at + 1] }
}
