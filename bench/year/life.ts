import type { OrderStatus } from '../../src/order/model/order.state.js'
import type { LineStatus } from '../../src/order/model/order-line.state.js'
import { day, type Random, yearEnds } from './random.js'

/** A trace line, as written by the product. */
export interface Event {
  at: number
  /** The call. */
  by: 'buyer' | 'seller'
  text: string
  supplementaryText: string
  /** The order line; undefined for the order itself. */
  line: number | undefined
  change: readonly [from: string, to: string] | undefined
}

/** The final status of an order and its trace. */
export interface Life {
  status: OrderStatus
  lineStatuses: LineStatus[]
  submittedAt: number | undefined
  events: Event[]
}

type Ending = readonly [status: OrderStatus, share: number]

/** Nearly all old orders have ended, few new ones. */
const old: readonly Ending[] = [
  ['FULFILLED', 0.85],
  ['CANCELLED', 0.08],
  ['REJECTED', 0.04],
  ['ACCEPTED', 0.03]
]
const recent: readonly Ending[] = [
  ['SUBMITTED', 0.5],
  ['ACCEPTED', 0.25],
  ['DRAFT', 0.1],
  ['FULFILLED', 0.15]
]

const hour = day / 24

/** The life of an order with this many lines, event by event. */
export function liveOrder(random: Random, createdAt: number, lines: number): Life {
  const status = endingOf(random, createdAt)
  const beginsSubmitted = random.chance(0.28)
  const life: Life = {
    status: 'DRAFT',
    lineStatuses: Array(lines).fill(beginsSubmitted ? 'SUBMITTED' : 'UNFULFILLED'),
    submittedAt: undefined,
    events: []
  }
  let at = createdAt
  const later = (most: number) => {
    at += 1000 + Math.floor(random.next() * most)
    return at
  }
  note(life, { at, by: 'buyer', text: 'Order created.', supplementaryText: 'Status: DRAFT.' })
  if (status === 'DRAFT') return life
  if (status !== 'CANCELLED' || random.chance(0.5)) {
    life.submittedAt = later(2 * hour)
    move(life, at, 'buyer', 'SUBMITTED', 'SUBMITTED')
  }
  if (status === 'SUBMITTED') return life
  if (status === 'ACCEPTED' || (status === 'FULFILLED' && random.chance(0.5)))
    move(life, later(day), 'seller', 'ACCEPTED')
  if (status === 'FULFILLED') move(life, later(9 * day), 'seller', status, 'FULFILLED')
  if (status === 'REJECTED') move(life, later(2 * day), 'seller', status, 'CANCELLED')
  if (status === 'CANCELLED') move(life, later(5 * day), 'buyer', status, 'CANCELLED')
  return life
}

function endingOf(random: Random, createdAt: number): OrderStatus {
  let left = random.next()
  const endings = createdAt > yearEnds - 73 * day ? recent : old
  return (
    endings.find(([, share]) => {
      left -= share
      return left < 0
    })?.[0] ?? 'FULFILLED'
  )
}

function note(life: Life, event: Omit<Event, 'line' | 'change'> & Partial<Event>): void {
  life.events.push({ line: undefined, change: undefined, ...event })
}

function move(life: Life, at: number, by: Event['by'], to: OrderStatus, lines?: LineStatus): void {
  const change = [life.status, to] as const
  note(life, { at, by, text: 'Order status changed.', supplementaryText: oldAndNew(change), change })
  life.status = to
  if (lines === undefined) return
  for (const [line, before] of life.lineStatuses.entries()) {
    if (before === lines) continue
    const change = [before, lines] as const
    const text = 'Order line status changed.'
    note(life, { at, by, text, supplementaryText: oldAndNew(change), line, change })
    life.lineStatuses[line] = lines
  }
}

const oldAndNew = ([from, to]: readonly [string, string]) => `Old value: ${from}. New value: ${to}.`
