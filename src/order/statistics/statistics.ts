import { and, eq, inArray, type SQL, sql } from 'drizzle-orm'
import { partyResource } from '../../agreement/resources.js'
import { ofOrganization } from '../../agreement/side.js'
import { administeredPartyIds } from '../../agreement/visibility.js'
import { itemResource } from '../../catalogue/resources.js'
import type { Call } from '../../platform/auth/call.js'
import { queryProblem } from '../../platform/errors/query-problem.js'
import type { Ports } from '../../ports.js'
import { orderLines, orders } from '../store/tables.js'
import {
  type FigureRow,
  type ListedGroups,
  type StatisticsScope,
  selectFigures,
  selectGroups
} from './select-statistics.js'
import { divideGroups, MIN_PATIENTS } from './small-groups.js'
import {
  type OrderStatistics,
  type StatisticsKey,
  type StatisticsQuery,
  statisticsKeys
} from './statistics.schemas.js'
import { statisticsProblem, statisticsTexts } from './texts.js'

/** Maximum rows of a response, and maximum groups behind the rows of a clerk. */
const MAX_ROWS = 10_000
const MAX_GROUPS = 100_000

const MAX_KEYS = 3
const MAX_MONTHS = 25

const filters = {
  buyer: { type: partyResource, column: orders.buyerId },
  seller: { type: partyResource, column: orders.sellerId },
  item: { type: itemResource, column: orderLines.itemId }
} as const
const filterNames = ['buyer', 'seller', 'item'] as const satisfies (keyof typeof filters)[]

/**
 * Counts the submitted orders of a period by group. A clerk gets no figures about fewer than {@link
 * MIN_PATIENTS} patients: such groups are merged into one row.
 * @throws Problem `invalid-query`, `too-many-rows`.
 */
export async function countOrdersByGroup(
  ports: Ports,
  call: Call,
  query: StatisticsQuery
): Promise<OrderStatistics[]> {
  const isClerk = call.caller.userType === 'AdministrativeClerk'
  const keys = keysOf(query)
  checkPeriod(query, isClerk)
  const { from, to } = query
  const { timeZone, db } = ports
  const conditions = filtersOf(ports, query)
  if (!conditions) return []
  const visible = visibleTo(ports, call)
  const scope = { from, to, timeZone, keys, where: sql`${and(visible, ...conditions)}` }
  const listed = isClerk
    ? await groupsFor(ports, { ...scope, where: visible }, conditions.length === 0)
    : undefined
  const options = { now: ports.now(), maximum: MAX_ROWS + 1, ...(listed && { listed }) }
  const rows = await selectFigures(db, scope, options)
  if (rows.length > MAX_ROWS) throw statisticsProblem('too-many-rows.groups', null, { max: MAX_ROWS })
  const isShown = ({ patients }: FigureRow) => !isClerk || patients >= MIN_PATIENTS
  return rows.filter(isShown).map((row) => toStatistics(ports, row))
}

/** The keys of the rows, in the order of their documentation. A filter is also a key. */
function keysOf(query: StatisticsQuery): StatisticsKey[] {
  const named = new Set<string>([
    ...query.groupBy,
    ...filterNames.filter((name) => query[name] !== undefined)
  ])
  if (named.size > MAX_KEYS) throw queryProblem('groupBy', statisticsTexts.tooManyKeys)
  return statisticsKeys.filter((key) => named.has(key))
}

/** A clerk requests whole months, so that no difference of periods covers only a few days. */
function checkPeriod({ from, to }: StatisticsQuery, isClerk: boolean): void {
  if (to < from) throw queryProblem('to', statisticsTexts.endBeforeStart)
  const [first, last] = [new Date(from), new Date(to)]
  const months =
    12 * (last.getUTCFullYear() - first.getUTCFullYear()) + last.getUTCMonth() - first.getUTCMonth()
  const isLonger = months > MAX_MONTHS || (months === MAX_MONTHS && last.getUTCDate() >= first.getUTCDate())
  if (isLonger) throw queryProblem('to', statisticsTexts.periodTooLong)
  if (!isClerk) return
  if (first.getUTCDate() !== 1) throw queryProblem('from', statisticsTexts.firstOfMonth)
  if (new Date(last.getTime() + DAY_MS).getUTCDate() !== 1)
    throw queryProblem('to', statisticsTexts.lastOfMonth)
}

const DAY_MS = 86_400_000

function visibleTo({ db }: Ports, call: Call): SQL {
  const { scope, caller } = call
  if (scope === 'own-seller') return ofOrganization(orders, 'seller', caller.organization ?? '')
  // Only clerks can administer all parties.
  const seesAll = scope === 'any' && caller.userType === 'AdministrativeClerk'
  return seesAll ? sql`true` : inArray(orders.buyerId, administeredPartyIds(db, call))
}

/** SQL conditions of the filters. Undefined if no order can match. */
function filtersOf({ resourceUrls }: Ports, query: StatisticsQuery): SQL[] | undefined {
  const conditions: SQL[] = []
  for (const name of filterNames) {
    const url = query[name]
    if (url === undefined) continue
    const id = resourceUrls.parseFilter(filters[name].type, name, url)
    if (id === undefined) return undefined
    conditions.push(eq(filters[name].column, id))
  }
  return conditions
}

/** The keys by which a month is divided, in this order. */
const dividingKeys = ['month', 'buyer', 'seller', 'action', 'item'] as const

/**
 * The groups behind the rows of a clerk, by the keys as far as a query names them. With a filter,
 * merged groups are left out, because some may have other values.
 */
async function groupsFor({ db }: Ports, scope: StatisticsScope, joins: boolean): Promise<ListedGroups> {
  const last = dividingKeys.findLastIndex((key) => scope.keys.includes(key))
  const keys = dividingKeys.slice(0, last + 1)
  const groups = await selectGroups(db, { ...scope, keys }, MIN_PATIENTS, MAX_GROUPS + 1)
  if (groups.length > MAX_GROUPS) throw statisticsProblem('too-many-rows.parts', null, { max: MAX_GROUPS })
  const { shown, joined } = divideGroups(groups)
  return { keys, shown, joined: joins ? joined : [] }
}

function toStatistics(
  { resourceUrls }: Pick<Ports, 'resourceUrls'>,
  { patients, ...row }: FigureRow
): OrderStatistics {
  const urls = filterNames.flatMap((key) => {
    const id = row[key]
    return typeof id === 'string' ? [[key, resourceUrls.url(filters[key].type, id)]] : []
  })
  return { ...row, ...Object.fromEntries(urls) } as unknown as OrderStatistics
}
