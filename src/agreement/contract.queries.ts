import { and, eq, gt, inArray, type Placeholder, sql } from 'drizzle-orm'
import type { Database } from '../db/driver/database.js'
import { jsonText } from '../db/json/serializer.js'
import { dynamicQuery } from '../db/sql/dynamic-query.js'
import { type PageLimits, pageStatement } from '../db/sql/page.js'
import type { Call } from '../platform/auth/call.js'
import { problem } from '../platform/errors/problem.js'
import { emptyPage, type Page, type PageRequest, rawJsonPage } from '../platform/rest/pagination.js'
import { revisionOf, Versioned } from '../platform/rest/revision.js'
import { calendarDate } from '../platform/util/calendar-date.js'
import { memoizePerApp } from '../platform/util/memoize-per-app.js'
import { parseFilterUrls } from '../platform/util/resource-urls.js'
import type { Ports } from '../ports.js'
import type { Contract } from './contract.schemas.js'
import { contractNotFound, loadContract } from './contract.store.js'
import { inForce } from './lookup.js'
import { partyResource } from './resources.js'
import { contractSerializer } from './serializers.js'
import { contractBuyers, contracts } from './tables.js'
import { contractSoldBy, contractVisibleTo } from './visibility.js'

export interface ContractFilters {
  seller?: string
  account?: string
  buyer?: string
  validOn?: string
  /** Contracts with a due reminder: in force, and within their reminder days of the end. */
  expiring?: boolean
}

/**
 * Reads a contract. A provider sees contracts in which its organization sells.
 * @throws Problem `not-found`.
 */
export async function viewContract(ports: Ports, call: Call, id: string): Promise<Versioned<Contract>> {
  const contract = await loadContract(ports.db, id, contractVisibleTo(ports, call))
  if (!contract) throw contractNotFound()
  return new Versioned(contractSerializer(ports).toJson(contract), revisionOf(contract))
}

/** The filters as parameters of the statement: ids of parties, dates. */
interface ContractListParams {
  seller: string | undefined
  account: string | undefined
  buyer: string | undefined
  validOn: string | undefined
  /** Date on which the reminder is due. */
  due: string | undefined
  /** URL of the selling organization, when the caller only sees contracts in which it sells. */
  ownSeller: string | undefined
  after: string | undefined
}

const pages = memoizePerApp((ports: Ports) => {
  const serializer = contractSerializer(ports)
  return dynamicQuery<ContractListParams, PageLimits, [id: Buffer, json: Buffer | null]>((active) =>
    pageStatement({
      table: 'contracts',
      json: jsonText(serializer, 'contracts'),
      where: and(
        active.ownSeller && contractSoldBy(ports.db, active.ownSeller),
        active.seller && eq(contracts.sellerId, active.seller),
        active.account && eq(contracts.accountId, active.account),
        active.buyer && inArray(contracts.id, contractsWith(ports.db, active.buyer)),
        active.validOn && inForce(active.validOn),
        active.due && reminderDue(active.due),
        active.after && gt(contracts.id, active.after)
      )
    })
  )
})

/**
 * Lists a page of the contracts that the caller may see, in order of creation.
 * @throws Problem `invalid-query`.
 */
export async function listContracts(
  ports: Ports,
  call: Call,
  { validOn, expiring = false, ...parties }: ContractFilters,
  request: PageRequest<string>
): Promise<Page<string>> {
  const { db, resourceUrls } = ports
  const ids = parseFilterUrls(resourceUrls, parties, {
    seller: partyResource,
    account: partyResource,
    buyer: partyResource
  })
  const date = validOn === undefined ? undefined : calendarDate(validOn)
  if (validOn !== undefined && date === undefined)
    throw problem('invalid-query', 'Query parameter validOn must be a calendar date, yyyy-mm-dd.')
  if (!ids) return emptyPage
  const params: ContractListParams = {
    seller: ids.seller,
    account: ids.account,
    buyer: ids.buyer,
    validOn: date,
    due: expiring ? ports.today() : undefined,
    ownSeller: call.scope === 'any' ? undefined : (call.caller.organization ?? ''),
    after: request.after
  }
  const rows = await pages(ports)(db, params, { rows: request.limit + 1, bytes: request.bytes })
  return rawJsonPage(rows, request, ([id]) => String(id))
}

const reminderDue = (today: Placeholder) =>
  and(inForce(today), sql`${contracts.lastDay} - ${contracts.reminderDays} <= ${today}::date`)

const contractsWith = (db: Database, buyerId: Placeholder) =>
  db.select({ id: contractBuyers.contractId }).from(contractBuyers).where(eq(contractBuyers.buyerId, buyerId))
