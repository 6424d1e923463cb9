import { Type } from '@sinclair/typebox'
import { and, asc, eq, getTableColumns, gt, type SQL, sql } from 'drizzle-orm'
import type { Queryable } from '../db/driver/database.js'
import { filter, type Given, listFilters } from '../filters/filter.js'
import { byReference, byValue } from '../filters/kinds.js'
import type { Call } from '../platform/auth/call.js'
import { datePartsOf } from '../platform/dates/calendar-date.js'
import { problem } from '../platform/errors/problem.js'
import { emptyPage, type Page, type PageRequest, serializedPage } from '../platform/rest/pagination.js'
import { revisionOf, Versioned } from '../platform/rest/revision.js'
import type { ResourceUrls } from '../platform/urls/resource-urls.js'
import type { Ports } from '../ports.js'
import type { Contract } from './contract.schemas.js'
import { inForce } from './lookup.js'
import { partyResource } from './resources.js'
import { contracts } from './tables.js'
import { contractVisibleTo, hasBuyer } from './visibility.js'

/** The columns of a contract that count for its revision: all but those that its events write. */
const { eventCount: _, expiryReported: __, ...content } = getTableColumns(contracts)

/** The ids of the buyers, in the order of the contract. */
const buyerIds = sql<string[]>`to_json(array(
  select b.buyer_id from contract_buyers b where b.contract_id = contracts.id order by b.position))`

/** Selects contracts with their buyers; the caller adds the condition. */
const selectContracts = (db: Queryable) => db.select({ ...content, buyerIds }).from(contracts)

type ContractRow = Awaited<ReturnType<typeof selectContracts>>[number]

/** A contract as it is returned. */
const toContract = (resourceUrls: ResourceUrls, row: ContractRow): Contract => ({
  id: row.id,
  name: row.name,
  validityPeriod: { start: datePartsOf(row.firstDay), end: datePartsOf(row.lastDay) },
  seller: resourceUrls.url(partyResource, row.sellerId),
  account: resourceUrls.url(partyResource, row.accountId),
  buyer: row.buyerIds.map((id) => resourceUrls.url(partyResource, id)),
  reminderDays: row.reminderDays,
  expiryReminderDays: row.expiryReminderDays,
  answerDays: row.answerDays
})

/**
 * Loads a contract that meets the condition.
 * @throws Problem `not-found`.
 */
export async function loadContract(db: Queryable, id: string, condition?: SQL): Promise<ContractRow> {
  const [row] = await selectContracts(db).where(and(eq(contracts.id, id), condition))
  if (!row) throw problem('not-found')
  return row
}

/** The filters of the list of contracts. */
export const contractFilters = listFilters(
  byReference('seller', partyResource, 'URL of the delivering party.', contracts.sellerId),
  byReference('account', partyResource, 'URL of the accounting party.', contracts.accountId),
  byReference('buyer', partyResource, 'URL of a buying party.', hasBuyer),
  filter(
    'validOn',
    Type.String({ format: 'date', description: 'Date, yyyy-mm-dd, on which the contract is in force.' }),
    (_ports, sent: string) => sent,
    inForce
  ),
  byValue<'expiring', boolean>(
    'expiring',
    Type.Boolean({
      description:
        'Contracts that expire soon: in force, at most expiryReminderDays (else reminderDays) before the end.'
    })
  )
)
export type ContractFilters = Given<typeof contractFilters>

/** SQL condition: the contract has reached its day of expiry reminders. */
export const expiryReminderDue = (today: string): SQL =>
  sql`${contracts.lastDay} - coalesce(${contracts.expiryReminderDays}, ${contracts.reminderDays}) <= ${today}::date`

/**
 * Reads a contract. A provider sees contracts in which its organization sells.
 * @throws Problem `not-found`.
 */
export async function viewContract(ports: Ports, call: Call, id: string): Promise<Versioned<Contract>> {
  const row = await loadContract(ports.db, id, contractVisibleTo(ports, call))
  return new Versioned(toContract(ports.resourceUrls, row), revisionOf(row))
}

/**
 * Lists a page of the contracts that the caller may see, in order of creation.
 * @throws Problem `invalid-query`.
 */
export async function listContracts(
  ports: Ports,
  call: Call,
  filters: ContractFilters,
  request: PageRequest<string>
): Promise<Page<string>> {
  const { limit, after } = request
  const given = contractFilters.parse(ports, filters)
  if (!given) return emptyPage
  const today = ports.today()
  const rows = await selectContracts(ports.db)
    .where(
      and(
        contractVisibleTo(ports, call),
        contractFilters.where(given),
        given.expiring ? and(inForce(today), expiryReminderDue(today)) : undefined,
        after ? gt(contracts.id, after) : undefined
      )
    )
    .orderBy(asc(contracts.id))
    .limit(limit + 1)
  return serializedPage(
    rows,
    request,
    (row) => row.id,
    (row) => JSON.stringify(toContract(ports.resourceUrls, row))
  )
}
