import { eq } from 'drizzle-orm'
import { insertAll } from '../db/insert-all.js'
import type { Work } from '../db/work.js'
import { contractBuyers, contracts } from './tables.js'

export type ContractValues = Omit<typeof contracts.$inferInsert, 'createdAt'> & {
  buyerIds: readonly string[]
}

/** Holds a contract until the work ends; false when there is none. */
export async function lockContract({ tx }: Work, id: string): Promise<boolean> {
  const rows = await tx.select({ id: contracts.id }).from(contracts).where(eq(contracts.id, id)).for('update')
  return rows.length > 0
}

/** Writes a contract and its buyers, new or in place of the old ones. */
export async function saveContract(
  { tx, at }: Work,
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
