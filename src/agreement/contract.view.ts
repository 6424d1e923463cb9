import { and, asc, eq, gt, inArray, sql } from 'drizzle-orm'
import { anyOf } from '../db/any-of.js'
import type { Database } from '../db/connection.js'
import type { Actor } from '../platform/actor.js'
import { calendarDate, datePartsOf } from '../platform/calendar-date.js'
import { type Page, type PageRequest, pageOf } from '../platform/paging.js'
import { problem } from '../platform/problem.js'
import { filterIds, type References } from '../platform/reference.js'
import type { Ports } from '../ports.js'
import type { Contract } from './contract.schemas.js'
import { partyKind } from './kinds.js'
import { inForce, partiesOf } from './lookup.js'
import { contractBuyers, contracts } from './tables.js'

export interface ContractFilters {
  seller?: string
  account?: string
  buyer?: string
  validOn?: string
  /** Those whose reminder is due: in force, and no more than their reminder days from their end. */
  expiring?: boolean
}

/**
 * A contract as its readers see it; a provider sees those in which its organization sells.
 * @throws Problem `not-found`.
 */
export async function viewContract(ports: Ports, actor: Actor, id: string): Promise<Contract> {
  const rows = await ports.db
    .select()
    .from(contracts)
    .where(and(eq(contracts.id, id), withinReach(ports.db, actor)))
  const [contract] = await contractsOf(ports, rows)
  if (!contract) throw problem('not-found', 'There is no such contract.')
  return contract
}

/** A page of the contracts within the caller's reach, in order of creation. */
export async function listContracts(
  ports: Ports,
  actor: Actor,
  { validOn, expiring = false, ...parties }: ContractFilters,
  { limit, after }: PageRequest<string>
): Promise<Page<Contract, string>> {
  const { db, references } = ports
  const ids = filterIds(references, parties, { seller: partyKind, account: partyKind, buyer: partyKind })
  const date = validOn === undefined ? undefined : calendarDate(validOn)
  if (validOn !== undefined && date === undefined)
    throw problem('invalid-query', 'Query parameter validOn must be a date of the calendar, yyyy-mm-dd.')
  if (!ids) return { entries: [], next: undefined }
  const rows = await db
    .select()
    .from(contracts)
    .where(
      and(
        withinReach(db, actor),
        ids.seller ? eq(contracts.sellerId, ids.seller) : undefined,
        ids.account ? eq(contracts.accountId, ids.account) : undefined,
        ids.buyer ? inArray(contracts.id, contractsWith(db, ids.buyer)) : undefined,
        date ? inForce(date) : undefined,
        expiring ? reminderDue(ports.today()) : undefined,
        after ? gt(contracts.id, after) : undefined
      )
    )
    .orderBy(asc(contracts.id))
    .limit(limit + 1)
  const { entries, next } = pageOf(rows, limit, (row) => row.id)
  return { entries: await contractsOf(ports, entries), next }
}

const withinReach = (db: Database, actor: Actor) =>
  actor.scope === 'any' ? undefined : inArray(contracts.sellerId, partiesOf(db, actor.organization ?? ''))

const reminderDue = (today: string) =>
  and(inForce(today), sql`${contracts.lastDay} - ${contracts.reminderDays} <= ${today}::date`)

const contractsWith = (db: Database, buyerId: string) =>
  db.select({ id: contractBuyers.contractId }).from(contractBuyers).where(eq(contractBuyers.buyerId, buyerId))

/** The wire forms of contracts, their buyers read with one query. */
async function contractsOf({ db, references }: Ports, rows: readonly ContractRow[]): Promise<Contract[]> {
  const buyers = await db
    .select()
    .from(contractBuyers)
    .where(
      anyOf(
        contractBuyers.contractId,
        rows.map((row) => row.id)
      )
    )
    .orderBy(asc(contractBuyers.position))
  const byContract = new Map(rows.map((row) => [row.id, [] as string[]]))
  for (const { contractId, buyerId } of buyers) byContract.get(contractId)?.push(buyerId)
  return rows.map((row) => contractOf(references, row, byContract.get(row.id) ?? []))
}

type ContractRow = typeof contracts.$inferSelect

function contractOf(references: References, row: ContractRow, buyerIds: readonly string[]): Contract {
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
