import type { Call } from '../../platform/auth/call.js'
import type { Ports } from '../../ports.js'
import { deviceFilters } from '../device/device-filters.js'
import { type DeviceLine, findDevices } from '../device/find-devices.js'
import { findLinesByTime } from './lines-by-time.js'
import { agreedAfter, type LineSearch } from './order-line-filters.js'
import { type OrderOfLines, selectOrdersOfLines, withFewOrders } from './orders-of-lines.js'

/** Where a page ends: the ids of an order and of a line in it, and the line's agreed time. */
export interface LinePosition extends DeviceLine {
  time?: string | undefined
}

/** Comes after every line of an order. */
const LAST_LINE = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** Lines that may match: those of some orders, or some of their lines. */
interface Candidates {
  orders: readonly OrderOfLines[]
  /** Default: all lines of the orders. */
  lineIds?: readonly string[]
  /** The position to go on from, unless these are the last ones. */
  next: LinePosition | undefined
}

/** Finds the candidates after a position: a number of orders, or of lines. */
type FindCandidates = (after: LinePosition | undefined, maximum: number) => Promise<Candidates>

/**
 * Chooses how the lines of a search are found: by the time that sorts them, or order by order. The
 * orders are found by what the search names, else by the devices of the caller's parties, if it is
 * about devices.
 */
export async function candidatesOf(ports: Ports, call: Call, search: LineSearch): Promise<FindCandidates> {
  const { order, patient, item, relatedTo } = search
  if (search.sort !== undefined)
    return (after, maximum) => candidatesByTime(ports, call, search, after, maximum)
  if (deviceFilters.where(search) && !order && !patient && !relatedTo)
    return async (after, maximum) => {
      const found = await findDevices(ports, call, search, after, maximum)
      const ids = found.map(({ order }) => order)
      const orders = await selectOrdersOfLines(ports, call, { ids }, undefined, maximum)
      return { orders, next: afterOrder(ids, maximum) }
    }
  const named = { order, patient, item, relatedTo, agreedAfter: agreedAfter(search) }
  const ofOrders = await withFewOrders(ports, named)
  return async (after, maximum) => {
    const orders = await selectOrdersOfLines(ports, call, ofOrders, after?.order, maximum)
    const ids = orders.map(({ id }) => id)
    return { orders, next: afterOrder(ids, maximum) }
  }
}

/** The position after the last of some orders, if these are as many as were asked for. */
function afterOrder(ids: readonly string[], maximum: number): LinePosition | undefined {
  const last = ids[maximum - 1]
  return last === undefined ? undefined : { order: last, line: LAST_LINE }
}

async function candidatesByTime(
  ports: Ports,
  call: Call,
  search: LineSearch,
  after: LinePosition | undefined,
  maximum: number
): Promise<Candidates> {
  const found = await findLinesByTime(ports, call, search, after, maximum)
  const last = found[maximum - 1]
  return {
    orders: found.map(({ order }) => order),
    lineIds: found.map(({ line }) => line),
    next: last && { order: last.order.id, line: last.line, time: last.time }
  }
}
