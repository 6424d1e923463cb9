import { eq, sql } from 'drizzle-orm'
import { findSellersInForce } from '../agreement/lookup.js'
import { inIds } from '../db/sql/conditions.js'
import { type Problem, type ProblemOptions, problemsOf } from '../platform/errors/problem.js'
import type { Ports } from '../ports.js'
import { orderabilityProblems } from './orderability.texts.js'
import { blackListEntries, catalogueItems, catalogues, whiteListEntries } from './tables.js'

const orderabilityProblem = problemsOf(orderabilityProblems)

/**
 * The parties and the patient of an order. Without a seller each item is ordered from its own
 * seller.
 */
export interface OrderParties {
  buyerId: string
  sellerId?: string | undefined
  /** URL of the clinical Patient. */
  patient: string
}

export interface OrderabilityReason {
  /** The item concerned; undefined for a reason between the parties. */
  itemId: string | undefined
  /** The problem of the reason, at a member of a request if there is a pointer. */
  problemAt(pointer: string | null, options?: ProblemOptions): Problem
}

/** Returns the reasons why items cannot be ordered today; empty when all can be ordered. */
export async function findOrderabilityReasons(
  ports: Pick<Ports, 'db' | 'today'>,
  { buyerId, sellerId, patient }: OrderParties,
  itemIds: readonly string[]
): Promise<OrderabilityReason[]> {
  const date = ports.today()
  const sellers = await findSellersInForce(ports.db, buyerId, date)
  const items = await loadItems(ports, buyerId, patient, itemIds)
  const withoutContract = (seller: string, itemId?: string) =>
    sellers.has(seller) ? [] : [noContract(date, itemId)]
  if (sellerId !== undefined)
    return [...withoutContract(sellerId), ...items.flatMap((item) => itemReasons(item, sellerId))]
  return items.flatMap((item) => [
    ...withoutContract(item.sellerId, item.id),
    ...itemReasons(item, item.sellerId)
  ])
}

const noContract = (date: string, itemId: string | undefined): OrderabilityReason => ({
  itemId,
  problemAt: (pointer, options) => orderabilityProblem('no-contract.onDate', pointer, { date }, options)
})

type Item = Awaited<ReturnType<typeof loadItems>>[number]

function itemReasons(item: Item, sellerId: string): OrderabilityReason[] {
  const rules = [
    [item.sellerId !== sellerId, 'foreign-item.item'],
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

function loadItems({ db }: Pick<Ports, 'db'>, buyerId: string, patient: string, itemIds: readonly string[]) {
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
