import type { Order } from '../../clients/typescript/src/index.js'
import type { Part } from '../parts/list.js'
import type { DeskTextKey } from './desk-texts.js'
import type { OrderList } from './order-lists.js'

/** Where an order is in the list from which it was opened. */
export interface Place {
  list: DeskTextKey
  /** The words that were searched for in the list. */
  q: string
  /** From 1. */
  place: number
  total: string
  previous: string | undefined
  next: string | undefined
}

let shown: { list: DeskTextKey; q: string; ids: readonly string[]; total: string } | undefined

/** Remembers the first orders of a list, of which a page is shown. */
export function rememberPlaces({ name }: OrderList, q: string, part: Part<Order>): void {
  const ids = part.entries.map(({ id }) => id)
  shown = { list: name, q, ids, total: part.totalCount ?? String(ids.length) }
}

/** The place of an order in the list that was shown last; undefined if it has none. */
export function placeOf(id: string): Place | undefined {
  const at = shown?.ids.indexOf(id) ?? -1
  if (!shown || at < 0) return undefined
  const { list, q, ids, total } = shown
  return { list, q, place: at + 1, total, previous: ids[at - 1], next: ids[at + 1] }
}
