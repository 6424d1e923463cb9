import { and, asc, eq, inArray } from 'drizzle-orm'
import type { Actor } from '../platform/actor.js'
import { problem } from '../platform/problem.js'
import type { References } from '../platform/reference.js'
import type { Ports } from '../ports.js'
import { datePartsOf } from './calendar-date.js'
import type { Contract } from './contract.schemas.js'
import { partyKind } from './kinds.js'
import { partiesOf } from './lookup.js'
import { contractBuyers, contracts } from './tables.js'

/**
 * A contract as its readers see it; a provider sees those in which its organization sells.
 * @throws Problem `not-found`.
 */
export async function viewContract({ db, references }: Ports, actor: Actor, id: string): Promise<Contract> {
  const own =
    actor.scope === 'any' ? undefined : inArray(contracts.sellerId, partiesOf(db, actor.organization ?? ''))
  const [contract] = await db
    .select()
    .from(contracts)
    .where(and(eq(contracts.id, id), own))
  if (!contract) throw problem('not-found', 'There is no such contract.')
  const buyers = await db
    .select({ id: contractBuyers.buyerId })
    .from(contractBuyers)
    .where(eq(contractBuyers.contractId, id))
    .orderBy(asc(contractBuyers.position))
  return contractOf(
    references,
    contract,
    buyers.map((buyer) => buyer.id)
  )
}

function contractOf(
  references: References,
  row: typeof contracts.$inferSelect,
  buyerIds: readonly string[]
): Contract {
  const party = (id: string) => references.url(partyKind, id)
  return {
    id: row.id,
    name: row.name,
    validityPeriod: { start: datePartsOf(row.firstDay), end: datePartsOf(row.lastDay) },
    seller: party(row.sellerId),
    account: party(row.accountId),
    buyer: buyerIds.map(party),
    reminderDays: row.reminderDays
  }
}
