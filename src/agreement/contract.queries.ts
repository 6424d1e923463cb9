import { Type } from '@sinclair/typebox'
import { and, gt, type Placeholder, sql } from 'drizzle-orm'
import { jsonText } from '../db/json/serializer.js'
import { dynamicQuery } from '../db/sql/dynamic-query.js'
import { type PageLimits, pageStatement } from '../db/sql/page.js'
import { filter, type Given, listFilters, type Params } from '../filters/filter.js'
import { byReference, byValue } from '../filters/kinds.js'
import type { Call } from '../platform/auth/call.js'
import { queryProblem } from '../platform/errors/problem.js'
import { emptyPage, type Page, type PageRequest, rawJsonPage } from '../platform/rest/pagination.js'
import { revisionOf, Versioned } from '../platform/rest/revision.js'
import { calendarDate } from '../platform/util/calendar-date.js'
import { memoizePerApp } from '../platform/util/memoize-per-app.js'
import type { Ports } from '../ports.js'
import type { Contract } from './contract.schemas.js'
import { contractNotFound, loadContract } from './contract.store.js'
import { inForce } from './lookup.js'
import { partyResource } from './resources.js'
import { contractSerializer } from './serializers.js'
import { contracts } from './tables.js'
import { contractSoldBy, contractVisibleTo } from './visibility.js'

/** The filters of the list of contracts. */
export const contractFilters = listFilters(
  byReference('seller', partyResource, 'URL of the delivering party.', contracts.sellerId),
  byReference('account', partyResource, 'URL of the accounting party.', contracts.accountId),
  byReference(
    'buyer',
    partyResource,
    'URL of a buying party.',
    (buyer) => sql`${contracts.id} in (select contract_id from contract_buyers where buyer_id = ${buyer})`
  ),
  filter(
    'validOn',
    Type.String({ format: 'date', description: 'Date, yyyy-mm-dd, on which the contract is in force.' }),
    (_ports, sent: string) => parseDay('validOn', sent),
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

function parseDay(parameter: string, text: string): string {
  const day = calendarDate(text)
  if (day === undefined)
    throw queryProblem(parameter, {
      en: 'must be a calendar date, yyyy-mm-dd',
      da: 'skal være en dato, åååå-mm-dd'
    })
  return day
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

type ContractListParams = Omit<Params<typeof contractFilters>, 'expiring'> & {
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
        contractFilters.where(active),
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
  filters: ContractFilters,
  request: PageRequest<string>
): Promise<Page<string>> {
  const given = contractFilters.parse(ports, filters)
  if (!given) return emptyPage
  const { expiring, ...others } = given
  const params: ContractListParams = {
    ...others,
    due: expiring ? ports.today() : undefined,
    ownSeller: call.scope === 'any' ? undefined : (call.caller.organization ?? ''),
    after: request.after
  }
  const rows = await pages(ports)(ports.db, params, { rows: request.limit + 1, bytes: request.bytes })
  return rawJsonPage(rows, request, ([id]) => String(id))
}

const reminderDue = (today: Placeholder) =>
  and(
    inForce(today),
    sql`${contracts.lastDay} - coalesce(${contracts.expiryReminderDays}, ${contracts.reminderDays}) <= ${today}::date`
  )
