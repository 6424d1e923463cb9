import { and, eq, getTableColumns, type SQL, sql } from 'drizzle-orm'
import type { Queryable } from '../db/driver/database.js'
import { insertAll } from '../db/sql/insert-all.js'
import type { UnitOfWork } from '../db/unit-of-work.js'
import { recordEvents } from '../ledger/insert.js'
import { problem } from '../platform/errors/problem.js'
import { contractBuyers, contracts } from './tables.js'
import { contractChangeableBy } from './visibility.js'

export type ContractValues = Omit<
  typeof contracts.$inferInsert,
  'createdAt' | 'eventCount' | 'expiryReported'
> & {
  buyerIds: readonly string[]
}

/** Locks a contract until the transaction ends, and loads it if the caller may change it. */
export async function lockContract({ tx, call }: UnitOfWork, id: string) {
  await tx.select({ id: contracts.id }).from(contracts).where(eq(contracts.id, id)).for('update')
  // A separate statement also sees the buyers that were written while the first one waited.
  return loadContract(tx, id, contractChangeableBy(call))
}

/** What a contract says. The rest is written by its events, and changes no revision. */
const { eventCount: _, expiryReported: __, ...content } = getTableColumns(contracts)

/** The buyers in the order of the contract, read by the statement that reads the contract. */
const buyerIds = sql<string[]>`to_json(array(
  select b.buyer_id from contract_buyers b where b.contract_id = contracts.id order by b.position))`

/** Loads a contract that meets the condition, with its buyers. */
export async function loadContract(db: Queryable, id: string, condition?: SQL) {
  const [contract] = await db
    .select({ ...content, buyerIds })
    .from(contracts)
    .where(and(eq(contracts.id, id), condition))
  return contract
}

export const contractNotFound = () => problem('not-found')

/** Inserts or replaces a contract and its buyers, with its event. */
export async function saveContract(
  work: UnitOfWork,
  change: 'created' | 'changed',
  { buyerIds, ...contract }: ContractValues
): Promise<void> {
  const { tx, at } = work
  const [row] = await tx
    .insert(contracts)
    .values({ ...contract, eventCount: 1, createdAt: at })
    .onConflictDoUpdate({
      target: contracts.id,
      set: { ...contract, eventCount: sql`${contracts.eventCount} + 1` }
    })
    .returning({ sequence: contracts.eventCount })
  await tx.delete(contractBuyers).where(eq(contractBuyers.contractId, contract.id))
  await insertAll(
    tx,
    contractBuyers,
    buyerIds.map((buyerId, position) => ({ contractId: contract.id, position, buyerId }))
  )
  const sequence = row?.sequence ?? 0
  await recordEvents(work, [{ type: 'contract.changed', change, subjectId: contract.id, sequence }])
}
