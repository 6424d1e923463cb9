import { and, asc, eq, isNull } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import { viewReadableParties } from '../../agreement/lookup.js'
import { partyResource } from '../../agreement/resources.js'
import { viewReadableItems } from '../../catalogue/lookup.js'
import { itemResource } from '../../catalogue/resources.js'
import { inIds } from '../../db/sql/conditions.js'
import { hasPermission } from '../../platform/auth/access.js'
import type { Actor } from '../../platform/auth/actor.js'
import { problem } from '../../platform/errors/problem.js'
import { RawJson } from '../../platform/json/raw-json.js'
import type { ResourceType } from '../../platform/rest/resource-urls.js'
import type { Ports } from '../../ports.js'
import { orderLineResource } from '../model/resources.js'
import { orderSerializers } from '../store/serializers.js'
import { orderLines, orders } from '../store/tables.js'

/** Resources that a response can include beside its orders. */
const names = ['parties', 'orderLines', 'items'] as const
export type Expansion = ReadonlySet<(typeof names)[number]>

/** A response includes at most this number of order lines, unless they are of one order. */
const MAX_LINES = 5000

/**
 * Parses the query parameter `expand`.
 * @throws Problem `invalid-query`.
 */
export function parseExpansion(texts: readonly string[] | undefined): Expansion | undefined {
  if (texts === undefined) return undefined
  const given = texts.flatMap((text) => text.split(',')).map((text) => text.trim())
  const expansion = new Set(names.filter((name) => given.includes(name)))
  if (given.some((name) => !(names as readonly string[]).includes(name)))
    throw problem('invalid-query', `Query parameter expand must be one of ${names.join(', ')}.`)
  return expansion
}

/**
 * Reads the resources that orders refer to, as JSON by their URLs: those that the caller may read,
 * each as the caller reads it by its id. Undefined when there are too many order lines.
 * @param ids orders that the caller has been shown.
 */
export async function expandOrders(
  ports: Ports,
  actor: Actor,
  ids: readonly string[],
  expansion: Expansion
): Promise<RawJson | undefined> {
  const { resourceUrls } = ports
  const [parties, lines] = await Promise.all([
    expansion.has('parties') ? readParties(ports, actor, ids) : [],
    expansion.has('orderLines') || expansion.has('items') ? loadLines(ports, ids) : []
  ])
  if (ids.length > 1 && lines.length > MAX_LINES) return undefined
  const itemIds = [...new Set(lines.map(({ itemId }) => itemId))]
  const items = expansion.has('items') ? await viewReadableItems(ports, actor, itemIds) : []
  const showsLines = expansion.has('orderLines') && hasPermission(actor, 'OrderLine.read')
  const byUrl = (type: ResourceType, resources: readonly { id: string }[]) =>
    resources.map((each) => [resourceUrls.url(type, each.id), each] as const)
  const expanded = Object.fromEntries([
    ...byUrl(partyResource, parties),
    ...byUrl(orderLineResource, showsLines ? lines.map(orderSerializers(ports).line.toJson) : []),
    ...byUrl(itemResource, items)
  ])
  return new RawJson(Buffer.from(JSON.stringify(expanded)))
}

/** A single id is a parameter of its own, so that the statement goes to one node. */
const isOneOf = (column: PgColumn, ids: readonly string[]) =>
  ids.length === 1 ? eq(column, ids[0]) : inIds(column, ids)

async function readParties(ports: Ports, actor: Actor, ids: readonly string[]) {
  const rows = await ports.db
    .select({ buyer: orders.buyerId, seller: orders.sellerId })
    .from(orders)
    .where(isOneOf(orders.id, ids))
  return viewReadableParties(ports, actor, [...new Set(rows.flatMap(({ buyer, seller }) => [buyer, seller]))])
}

const loadLines = ({ db }: Ports, ids: readonly string[]) =>
  db
    .select()
    .from(orderLines)
    .where(and(isOneOf(orderLines.orderId, ids), isNull(orderLines.deletedAt)))
    .orderBy(asc(orderLines.orderId), asc(orderLines.id))
    .limit(MAX_LINES + 1)
