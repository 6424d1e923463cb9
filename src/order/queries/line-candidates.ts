import type { Call } from '../../platform/auth/call.js'
import type { Ports } from '../../ports.js'
import { deviceFilters } from '../device/device-filters.js'
import { type DeviceLine, findDevices, findDevicesOf, isFoundByDevice } from '../device/find-devices.js'
import { findLinesByTime } from './lines-by-time.js'
import { agreedAfter, type LineSearch } from './order-line-filters.js'
import {
  type LineOrderSearch,
  type OrderOfLines,
  selectOrdersOfLines,
  withFewOrders
} from './orders-of-lines.js'

/** Where a page ends: the ids of an order and of a line in it, and the line's agreed time. */
export interface LinePosition extends DeviceLine {
  time?: string | undefined
}

/** Comes after every line of an order. */
const LAST_LINE = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** Orders whose lines are read at once. */
const ORDERS_AT_ONCE = 500

/** Lines that may match: those of some orders, or some of their lines. */
interface Candidates {
  orders: readonly OrderOfLines[]
  /** Default: all lines of the orders. */
  lineIds?: readonly string[]
  /** The position to go on from, unless these are the last ones. */
  next: LinePosition | undefined
}

/** Finds the candidates after a position, a number of them or those of some orders. */
type FindCandidates = (after: LinePosition | undefined, maximum: number) => Promise<Candidates>

/**
 * Chooses how the lines of a search are found: by the time that sorts them, by the devices of the
 * caller's parties, or by their orders.
 */
export async function candidatesOf(ports: Ports, call: Call, search: LineSearch): Promise<FindCandidates> {
  const { order, patient, item, relatedTo } = search
  if (search.sort !== undefined)
    return (after, maximum) => candidatesByTime(ports, call, search, after, maximum)
  if (isFoundByDevice(search) && !order && !patient && !relatedTo)
    return (after, maximum) => candidatesByDevice(ports, call, search, after, maximum)
  const named = { order, patient, item, relatedTo, agreedAfter: agreedAfter(search) }
  const ofOrders = await withFewOrders(ports, named)
  return (after) => candidatesByOrder(ports, call, search, ofOrders, after)
}

async function candidatesByDevice(
  ports: Ports,
  call: Call,
  search: LineSearch,
  after: LinePosition | undefined,
  maximum: number
): Promise<Candidates> {
  const found = await findDevices(ports, call, search, after, maximum)
  const ids = [...new Set(found.map(({ order }) => order))]
  const orders = ids.length > 0 ? await selectOrdersOfLines(ports, call, { ids }, undefined, ids.length) : []
  return {
    orders,
    lineIds: found.map(({ line }) => line),
    next: found.length === maximum ? found.at(-1) : undefined
  }
}

async function candidatesByTime(
  ports: Ports,
  call: Call,
  search: LineSearch,
  after: LinePosition | undefined,
  maximum: number
): Promise<Candidates> {
  const found = await findLinesByTime(ports, call, search, after, maximum)
  const orders = found.map(({ order }) => order)
  const last = found.length === maximum ? found.at(-1) : undefined
  const ofDevices = deviceFilters.where(search)
    ? new Set(
        await findDevicesOf(
          ports,
          orders.map(({ id }) => id),
          search
        )
      )
    : undefined
  return {
    orders,
    lineIds: found.flatMap(({ line }) => (ofDevices?.has(line) === false ? [] : [line])),
    next: last && { order: last.order.id, line: last.line, time: last.time }
  }
}

async function candidatesByOrder(
  ports: Ports,
  call: Call,
  search: LineSearch,
  ofOrders: LineOrderSearch,
  after: LinePosition | undefined
): Promise<Candidates> {
  const orders = await selectOrdersOfLines(ports, call, ofOrders, after?.order, ORDERS_AT_ONCE)
  const last = orders.length === ORDERS_AT_ONCE ? orders.at(-1) : undefined
  const next = last && { order: last.id, line: LAST_LINE }
  if (!deviceFilters.where(search)) return { orders, next }
  const ids = orders.map(({ id }) => id)
  return { orders, lineIds: await findDevicesOf(ports, ids, search), next }
}
