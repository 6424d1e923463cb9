import type { Order, Page, SslClient } from '../../clients/typescript/src/index.js'
import { createStore, type Store } from '../parts/store.js'
import type { DeskTextKey } from './desk-texts.js'
import type { Session } from './session.js'

type OrderQuery = NonNullable<Parameters<SslClient['order']['listOrder']>[0]>

/** A list of orders, which a tab shows. */
export interface OrderList {
  /** Its name, which is its text, too. */
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
export const listsOf = ({ isProvider }: Session): readonly OrderList[] => [
  { name: 'questions', query: { awaiting: isProvider ? 'SELLER' : 'BUYER', sort: 'due' }, colour: 'amber' },
  ...(isProvider ? [] : [returned]),
  { name: 'late', query: { attention: ['LATE', 'UNANSWERED'], sort: 'due' }, colour: 'red' },
  ...(isProvider ? [] : [drafts]),
  { name: isProvider ? 'newOrders' : 'sent', query: isIn('SUBMITTED') },
  { name: 'accepted', query: isIn('ACCEPTED') },
  { name: 'ended', query: { ...isIn('REJECTED', 'CANCELLED'), sort: '-updated' }, colour: 'red' },
  { name: 'closed', query: { ...isIn('FULFILLED'), sort: '-updated' } }
]

/** Orders of each list; of those that ended, since the last visit to their list. */
export type Counts = Readonly<Record<string, string>>

const current = createStore<Counts>({})

/** The counts of the lists. */
export const counts: Store<Counts> = current

const DAYS_AT_FIRST = 7
/** The browser keeps no more than the time of the last visit. */
const visitKey = ({ me }: Session) => `desk-visit-${me.parties[0]?.split('/').at(-1)}`
let seenUntil: string | undefined

/** The time of the last visit to the list of orders that ended; at first some days ago. */
export const lastVisit = (session: Session): string =>
  localStorage.getItem(visitKey(session)) ??
  new Date(Date.now() - DAYS_AT_FIRST * 86_400_000).toISOString().slice(0, 10)

/** Remembers that the user saw the list of orders that ended. */
export function rememberVisit(session: Session): void {
  if (seenUntil !== undefined) localStorage.setItem(visitKey(session), seenUntil)
}

/** The pages that a session counted last. */
const counted = new WeakMap<Session, Map<string, Page<Order>>>()

/** Counts the orders of each list on the server. The result stays the same until one changes. */
export async function loadCounts(session: Session, signal: AbortSignal): Promise<Counts> {
  const known = counted.get(session) ?? new Map<string, Page<Order>>()
  counted.set(session, known)
  const found = await Promise.all(
    listsOf(session).map(async ({ name, query }) => {
      const since = name === 'ended' ? { updatedSince: lastVisit(session), sort: '-created' as const } : {}
      const wanted = { ...query, ...since, count: true, limit: 1 }
      const page = await session.client.order.listOrder(wanted, { signal }).first(known.get(name))
      // A page that is known would repeat until when it was read.
      if (page.updatedUntil === undefined) known.set(name, page)
      else seenUntil = page.updatedUntil
      return [name, page.totalCount ?? ''] as const
    })
  )
  if (found.some(([name, count]) => current.get()[name] !== count)) current.set(Object.fromEntries(found))
  return current.get()
}
