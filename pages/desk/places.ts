import type { Order } from '../../clients/typescript/src/index.js'
import type { Part } from '../parts/list.js'
import type { DeskTextKey } from './desk-texts.js'
import type { OrderList } from './order-lists.js'

/** Where an order is in the list from which it was opened. */
export interface Place {
  list: DeskTextKey
  /** From 1. */
  place: number
  total: string
  previous: string | undefined
  next: string | undefined
}

let shown: { list: DeskTextKey; ids: readonly string[]; from: number; total: string } | undefined

/** Remembers a page of a list that is shown, of which the first order is at `from`. */
export function rememberPlaces({ name }: OrderList, from: number, part: Part<Order>): void {
  const ids = part.entries.map(({ id }) => id)
  shown = { list: name, ids, from, total: part.totalCount ?? String(from + ids.length) }
}

/** The place of an order in the page of a list that was shown last; undefined if it has none. */
export function placeOf(id: string): Place | undefined {
  const at = shown?.ids.indexOf(id) ?? -1
  if (!shown || at < 0) return undefined
  const { list, ids, from, total } = shown
  return { list, place: from + at + 1, total, previous: ids[at - 1], next: ids[at + 1] }
}
