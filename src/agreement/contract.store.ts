import { and, eq } from 'drizzle-orm'
import type { Queryable } from '../db/driver/database.js'
import { insertAll } from '../db/sql/insert-all.js'
import type { UnitOfWork } from '../db/unit-of-work.js'
import type { Actor } from '../platform/auth/actor.js'
import { contractBuyers, contracts } from './tables.js'
import { contractVisibleTo } from './visibility.js'

export type ContractValues = Omit<typeof contracts.$inferInsert, 'createdAt'> & {
  buyerIds: readonly string[]
}

/** Holds a contract until the work ends; false when there is none within the caller's reach. */
export async function lockContract({ tx, actor }: UnitOfWork, id: string): Promise<boolean> {
  await tx.select({ id: contracts.id }).from(contracts).where(eq(contracts.id, id)).for('update')
  // A statement of its own: it sees the buyers that were written while the first one waited.
  return isContractWithinReach(tx, actor, id)
}

/** Whether there is such a contract within the caller's reach. */
export async function isContractWithinReach(db: Queryable, actor: Actor, id: string): Promise<boolean> {
  const rows = await db
    .select({ id: contracts.id })
    .from(contracts)
    .where(and(eq(contracts.id, id), contractVisibleTo(actor)))
  return rows.length > 0
}

/** Writes a contract and its buyers, new or in place of the old ones. */
export async function saveContract(
  { tx, at }: UnitOfWork,
  { buyerIds, ...contract }: ContractValues
): Promise<void> {
  await tx
    .insert(contracts)
    .values({ ...contract, createdAt: at })
    .onConflictDoUpdate({ target: contracts.id, set: contract })
  await tx.delete(contractBuyers).where(eq(contractBuyers.contractId, contract.id))
  await insertAll(
    tx,
    contractBuyers,
    buyerIds.map((buyerId, position) => ({ contractId: contract.id, position, buyerId }))
  )
}
