import { eq, sql } from 'drizzle-orm'
import { findSellersInForce, isContractInForce } from '../agreement/lookup.js'
import { inIds } from '../db/sql/conditions.js'
import { type Problem, type ProblemOptions, problemsOf } from '../platform/errors/problem.js'
import type { Ports } from '../ports.js'
import { orderabilityProblems } from './orderability.texts.js'
import { blackListEntries, catalogueItems, catalogues, whiteListEntries } from './tables.js'

const orderabilityProblem = problemsOf(orderabilityProblems)

/** The parties and the patient of an order. */
export interface OrderParties {
  buyerId: string
  sellerId: string
  /** URL of the clinical Patient. */
  patient: string
}

export interface Obstacle {
  /** The item concerned; undefined for an obstacle between the parties. */
  itemId: string | undefined
  /** Its problem, at a member of a request if there is a pointer. */
  problemAt(pointer: string | null, options?: ProblemOptions): Problem
}

/** Returns the reasons why items cannot be ordered today; empty when all can be ordered. */
export async function findObstacles(
  ports: Pick<Ports, 'db' | 'today'>,
  deal: OrderParties,
  itemIds: readonly string[]
): Promise<Obstacle[]> {
  const date = ports.today()
  const contract = await isContractInForce(ports.db, deal.sellerId, deal.buyerId, date)
  const items = await loadItems(ports, deal, itemIds)
  return [...(contract ? [] : [noContract(date)]), ...items.flatMap((item) => itemObstacles(item, deal))]
}

/**
 * As {@link findObstacles}, for an order from the seller of each item. Every obstacle has an item.
 */
export async function findObstaclesAtSellers(
  ports: Pick<Ports, 'db' | 'today'>,
  { buyerId, patient }: Omit<OrderParties, 'sellerId'>,
  itemIds: readonly string[]
): Promise<Obstacle[]> {
  const date = ports.today()
  const sellers = await findSellersInForce(ports.db, buyerId, date)
  const items = await loadItems(ports, { buyerId, patient }, itemIds)
  return items.flatMap((item) => [
    ...(sellers.has(item.sellerId) ? [] : [{ ...noContract(date), itemId: item.id }]),
    ...itemObstacles(item, item)
  ])
}

const noContract = (date: string): Obstacle => ({
  itemId: undefined,
  problemAt: (pointer, options) => orderabilityProblem('no-contract.onDate', pointer, { date }, options)
})

type Item = Awaited<ReturnType<typeof loadItems>>[number]

function itemObstacles(item: Item, deal: Pick<OrderParties, 'sellerId'>): Obstacle[] {
  const rules = [
    [item.sellerId !== deal.sellerId, 'foreign-item.item'],
    [item.catalogueStatus !== 'ACTIVE', 'catalogue-not-active.item'],
    [item.status !== 'AVAILABLE', 'item-not-available.item'],
    [!item.whiteListed, 'not-white-listed.item'],
    [item.blackListed, 'black-listed.item']
  ] as const
  return rules
    .filter(([broken]) => broken)
    .map(([, name]) => ({
      itemId: item.id,
      problemAt: (pointer, options) => orderabilityProblem(name, pointer, null, options)
    }))
}

function loadItems(
  { db }: Pick<Ports, 'db'>,
  { buyerId, patient }: Omit<OrderParties, 'sellerId'>,
  itemIds: readonly string[]
) {
  return db
    .select({
      id: catalogueItems.id,
      status: catalogueItems.status,
      catalogueStatus: catalogues.status,
      sellerId: catalogues.sellerId,
      whiteListed: sql<boolean>`exists (select from ${whiteListEntries} where ${whiteListEntries.buyerId} = ${buyerId} and ${whiteListEntries.itemId} = ${catalogueItems.id})`,
      blackListed: sql<boolean>`exists (select from ${blackListEntries} where ${blackListEntries.patient} = ${patient} and ${blackListEntries.itemId} = ${catalogueItems.id})`
    })
    .from(catalogueItems)
    .innerJoin(catalogues, eq(catalogues.id, catalogueItems.catalogueId))
    .where(inIds(catalogueItems.id, itemIds))
}
