import { and, asc, eq, gt, inArray, type Placeholder, sql } from 'drizzle-orm'
import type { Database } from '../db/driver/database.js'
import { jsonSize, jsonText } from '../db/json/serializer.js'
import { dynamicQuery } from '../db/sql/dynamic-query.js'
import { type PageValues, pageStatement } from '../db/sql/page.js'
import type { Actor } from '../platform/auth/actor.js'
import { problem } from '../platform/errors/problem.js'
import { emptyPage, type Page, type PageRequest, rawJsonPage } from '../platform/rest/pagination.js'
import { parseFilterUrls } from '../platform/rest/resource-urls.js'
import { calendarDate } from '../platform/util/calendar-date.js'
import { memoizePerApp } from '../platform/util/memoize-per-app.js'
import type { Ports } from '../ports.js'
import type { Contract } from './contract.schemas.js'
import { inForce, partiesOf } from './lookup.js'
import { partyKind } from './resources.js'
import { contractSerializer } from './serializers.js'
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
  const [contract] = await ports.db
    .select()
    .from(contracts)
    .where(and(eq(contracts.id, id), withinReach(ports.db, actor)))
  if (!contract) throw problem('not-found', 'There is no such contract.')
  const buyers = await ports.db
    .select({ id: contractBuyers.buyerId })
    .from(contractBuyers)
    .where(eq(contractBuyers.contractId, id))
    .orderBy(asc(contractBuyers.position))
  return contractSerializer(ports).toJson({ ...contract, buyerIds: buyers.map((buyer) => buyer.id) })
}

/** The filters as the statement has them: ids of parties, dates. */
interface Sought {
  seller: string | undefined
  account: string | undefined
  buyer: string | undefined
  validOn: string | undefined
  /** The day on which the reminder is due. */
  due: string | undefined
  /** The organization that sells, where the caller sees its own contracts only. */
  ownSeller: string | undefined
  after: string | undefined
}

const pages = memoizePerApp((ports: Ports) => {
  const form = contractSerializer(ports)
  return dynamicQuery<Sought, PageValues, [id: Buffer, json: Buffer | null]>((given) =>
    pageStatement({
      table: 'contracts',
      columns: sql`contracts.id`,
      json: jsonText(form, 'contracts'),
      size: jsonSize(form, 'contracts'),
      from: sql`from contracts`,
      where: and(
        given.ownSeller && ofSeller(ports.db, given.ownSeller),
        given.seller && eq(contracts.sellerId, given.seller),
        given.account && eq(contracts.accountId, given.account),
        given.buyer && inArray(contracts.id, contractsWith(ports.db, given.buyer)),
        given.validOn && inForce(given.validOn),
        given.due && reminderDue(given.due),
        given.after && gt(contracts.id, given.after)
      ),
      orderBy: sql`contracts.id`
    })
  )
})

/** A page of the contracts within the caller's reach, in order of creation. */
export async function listContracts(
  ports: Ports,
  actor: Actor,
  { validOn, expiring = false, ...parties }: ContractFilters,
  request: PageRequest<string>
): Promise<Page<string>> {
  const { db, references } = ports
  const ids = parseFilterUrls(references, parties, {
    seller: partyKind,
    account: partyKind,
    buyer: partyKind
  })
  const date = validOn === undefined ? undefined : calendarDate(validOn)
  if (validOn !== undefined && date === undefined)
    throw problem('invalid-query', 'Query parameter validOn must be a date of the calendar, yyyy-mm-dd.')
  if (!ids) return emptyPage
  const sought: Sought = {
    seller: ids.seller,
    account: ids.account,
    buyer: ids.buyer,
    validOn: date,
    due: expiring ? ports.today() : undefined,
    ownSeller: actor.scope === 'any' ? undefined : (actor.organization ?? ''),
    after: request.after
  }
  const rows = await pages(ports)(db, sought, { rows: request.limit + 1, bytes: request.bytes })
  return rawJsonPage(rows, request, ([id]) => String(id))
}

const withinReach = (db: Database, actor: Actor) =>
  actor.scope === 'any' ? undefined : ofSeller(db, actor.organization ?? '')

const ofSeller = (db: Database, organization: string | Placeholder) =>
  inArray(contracts.sellerId, partiesOf(db, organization))

const reminderDue = (today: Placeholder) =>
  and(inForce(today), sql`${contracts.lastDay} - ${contracts.reminderDays} <= ${today}::date`)

const contractsWith = (db: Database, buyerId: Placeholder) =>
  db.select({ id: contractBuyers.contractId }).from(contractBuyers).where(eq(contractBuyers.buyerId, buyerId))
