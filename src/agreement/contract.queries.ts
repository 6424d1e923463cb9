import { Type } from '@sinclair/typebox'
import { and, eq, getTableColumns, type Placeholder, type SQL, sql } from 'drizzle-orm'
import type { Queryable } from '../db/driver/database.js'
import { filter, type Given, listFilters } from '../filters/filter.js'
import { byReference } from '../filters/kinds.js'
import { rowQueries } from '../filters/row-queries.js'
import { datePartsOf } from '../platform/dates/calendar-date.js'
import { problem } from '../platform/errors/problem.js'
import type { ResourceUrls } from '../platform/urls/resource-urls.js'
import type { Ports } from '../ports.js'
import type { Contract } from './contract.schemas.js'
import { inForce } from './lookup.js'
import { partyResource } from './resources.js'
import { contracts } from './tables.js'
import { contractVisibleTo, hasBuyer } from './visibility.js'

/**
 * The columns of a contract that count for its revision: all columns except those that its events
 * write.
 */
const { eventCount: _, expiryReported: __, ...content } = getTableColumns(contracts)

/** The ids of the buyers, in the order of the contract. */
const buyerIds = sql<string[]>`to_json(array(
  select b.buyer_id from contract_buyers b where b.contract_id = contracts.id order by b.position))`

/** Selects contracts with their buyers; the caller adds the condition. */
const selectContracts = (db: Queryable) => db.select({ ...content, buyerIds }).from(contracts)

type ContractRow = Awaited<ReturnType<typeof selectContracts>>[number]

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

export async function loadContract(db: Queryable, id: string, condition?: SQL): Promise<ContractRow> {
  const [row] = await selectContracts(db).where(and(eq(contracts.id, id), condition))
  if (!row) throw problem('not-found')
  return row
}

/** SQL condition: the contract has reached its day of expiry reminders. */
export const expiryReminderDue = (today: string | Placeholder): SQL =>
  sql`${contracts.lastDay} - coalesce(${contracts.expiryReminderDays}, ${contracts.reminderDays}) <= ${today}::date`

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
  filter(
    'expiring',
    Type.Boolean({
      description:
        'Contracts that expire soon: in force, at most expiryReminderDays (otherwise reminderDays) before the end.'
    }),
    ({ today }, sent: boolean) => (sent ? today() : ''),
    (today) => (today === '' ? undefined : and(inForce(today), expiryReminderDue(today)))
  )
)
export type ContractFilters = Given<typeof contractFilters>

/** Reads contracts. A provider sees contracts in which its organization sells. */
export const contractQueries = rowQueries({
  id: contracts.id,
  select: (db, where) => selectContracts(db).where(where),
  visibleTo: contractVisibleTo,
  filters: contractFilters,
  toResource: ({ resourceUrls }: Ports, _call, row) => toContract(resourceUrls, row)
})
