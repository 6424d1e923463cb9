import { and, eq, gte, lt, sql } from 'drizzle-orm'
import { partyKind } from '../agreement/kinds.js'
import { isClinicalReference } from '../clinical/reference.js'
import { textOf } from '../db/form.js'
import { matches } from '../db/matches.js'
import { rawRows } from '../db/statement.js'
import type { Actor } from '../platform/actor.js'
import { type Page, type PageRequest, pageOf } from '../platform/paging.js'
import { perServer } from '../platform/per-server.js'
import { problem } from '../platform/problem.js'
import { filterIds } from '../platform/reference.js'
import { Written } from '../platform/written.js'
import type { Ports } from '../ports.js'
import { queriedCode } from '../terminology/known-code.js'
import { orderForms } from './forms.js'
import { fromOrders, orderWithinReach } from './order.reach.js'
import type { OrderStatus } from './order.state.js'
import { endOf, startOf } from './period.js'
import { orders } from './tables.js'

export interface OrderFilters {
  buyer?: string
  seller?: string
  patient?: string
  status?: string
  priority?: boolean
  /** First and last day of creation, or first moment and the moment before which. */
  from?: string
  to?: string
  q?: string
}

const orderText = perServer((ports: Ports) => textOf(orderForms(ports).order, 'orders'))

type ListedOrder = [id: Buffer, patient: Buffer, json: Buffer]

/**
 * A page of the orders within the caller's reach, newest first.
 * @throws Problem `invalid-query`.
 */
export async function listOrders(
  ports: Ports,
  actor: Actor,
  { patient, status, priority, from, to, q, ...parties }: OrderFilters,
  { limit, after }: PageRequest<string>
): Promise<Page<Written, string>> {
  const { db, references, terminology } = ports
  if (patient !== undefined && !isClinicalReference(patient, 'Patient'))
    throw problem('invalid-query', 'Query parameter patient must be the URL of a clinical Patient.')
  if (patient !== undefined) actor.trail.touch(patient)
  const ids = filterIds(references, parties, { buyer: partyKind, seller: partyKind })
  const code = queriedCode(terminology, 'order-status', 'status', status) as OrderStatus | undefined
  if (!ids) return { entries: [], next: undefined }
  const conditions = [
    orderWithinReach(actor),
    ids.buyer ? eq(orders.buyerId, ids.buyer) : undefined,
    ids.seller ? eq(orders.sellerId, ids.seller) : undefined,
    patient !== undefined ? eq(orders.patient, patient) : undefined,
    code ? eq(orders.status, code) : undefined,
    priority !== undefined ? eq(orders.priority, priority) : undefined,
    from !== undefined ? gte(orders.createdAt, startOf(ports, 'from', from)) : undefined,
    to !== undefined ? lt(orders.createdAt, endOf(ports, 'to', to)) : undefined,
    matches(orders.searchText, q),
    after ? lt(orders.id, after) : undefined
  ]
  const rows = await rawRows<ListedOrder>(
    db,
    sql`select orders.id, orders.patient, ${orderText(ports)} ${fromOrders} where ${and(...conditions)} order by orders.id desc limit ${limit + 1}`
  )
  const { entries, next } = pageOf(rows, limit, ([id]) => String(id))
  for (const [id, patient] of entries) actor.trail.touch(String(patient), String(id))
  return { entries: entries.map(([, , json]) => new Written(json)), next }
}
