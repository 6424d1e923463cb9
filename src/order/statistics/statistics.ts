import { and, eq, inArray, type SQL, sql } from 'drizzle-orm'
import { partyResource } from '../../agreement/resources.js'
import { ofOrganization } from '../../agreement/side.js'
import { administeredPartyIds } from '../../agreement/visibility.js'
import { itemResource } from '../../catalogue/resources.js'
import type { Call } from '../../platform/auth/call.js'
import { queryProblem } from '../../platform/errors/query-problem.js'
import type { ResourceType } from '../../platform/urls/resource-urls.js'
import type { Ports } from '../../ports.js'
import { orderLines, orders } from '../store/tables.js'
import { orderProblem, orderTexts } from '../texts.js'
import {
  CELL_SEPARATOR,
  type FigureRow,
  type ListedCells,
  type StatisticsCell,
  type StatisticsScope,
  selectCells,
  selectFigures
} from './select-statistics.js'
import { countPatients, groupsOf, MIN_PATIENTS, splitCells } from './small-groups.js'
import {
  type OrderStatistics,
  type StatisticsKey,
  type StatisticsQuery,
  statisticsKeys
} from './statistics.schemas.js'

/** Maximum rows of a response, and maximum cells that a clerk's rows are made of. */
const MAX_ROWS = 10_000
const MAX_CELLS = 20_000

const MAX_KEYS = 3
const MAX_MONTHS = 25

/** The filters, with the column that each compares. */
const filters = {
  buyer: { type: partyResource, column: orders.buyerId },
  seller: { type: partyResource, column: orders.sellerId },
  item: { type: itemResource, column: orderLines.itemId }
} as const
const filterNames = ['buyer', 'seller', 'item'] as const

/** The keys that hold ids, with the type of the resource. */
const referenceTypes: Readonly<Partial<Record<StatisticsKey, ResourceType>>> = {
  buyer: partyResource,
  seller: partyResource,
  item: itemResource
}

/**
 * Counts the submitted orders of a period by group. A clerk gets no figures about fewer than
 * {@link MIN_PATIENTS} patients: such groups are joined into one row.
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
    ? await cellsFor(ports, { ...scope, where: visible }, conditions.length === 0)
    : undefined
  const options = { now: ports.now(), maximum: MAX_ROWS + 1, ...(listed && { listed }) }
  const rows = await selectFigures(db, scope, options)
  if (rows.length > MAX_ROWS) throw orderProblem('too-many-rows.groups', null, { max: MAX_ROWS })
  const isShown = ({ patients }: FigureRow) => !isClerk || patients >= MIN_PATIENTS
  return rows.filter(isShown).map((row) => toStatistics(ports, keys, row))
}

/** The keys of the rows, in the order of their documentation. A filter is a key too. */
function keysOf(query: StatisticsQuery): StatisticsKey[] {
  const named = new Set<string>([
    ...query.groupBy,
    ...filterNames.filter((name) => query[name] !== undefined)
  ])
  if (named.size > MAX_KEYS) throw queryProblem('groupBy', orderTexts.tooManyKeys)
  return statisticsKeys.filter((key) => named.has(key))
}

/** A clerk asks for whole months, so that no difference of periods is about a few days. */
function checkPeriod({ from, to }: StatisticsQuery, isClerk: boolean): void {
  if (to < from) throw queryProblem('to', orderTexts.endBeforeStart)
  const [first, last] = [new Date(from), new Date(to)]
  const months =
    12 * (last.getUTCFullYear() - first.getUTCFullYear()) + last.getUTCMonth() - first.getUTCMonth()
  const isLonger = months > MAX_MONTHS || (months === MAX_MONTHS && last.getUTCDate() >= first.getUTCDate())
  if (isLonger) throw queryProblem('to', orderTexts.periodTooLong)
  if (!isClerk) return
  if (first.getUTCDate() !== 1) throw queryProblem('from', orderTexts.firstOfMonth)
  if (new Date(last.getTime() + DAY_MS).getUTCDate() !== 1) throw queryProblem('to', orderTexts.lastOfMonth)
}

const DAY_MS = 86_400_000

/** SQL condition: the caller may count the orders. */
function visibleTo({ db }: Ports, call: Call): SQL {
  const { scope, caller } = call
  if (scope === 'own-seller') return ofOrganization(orders, 'seller', caller.organization ?? '')
  // Only clerks can administer all.
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

/**
 * The cells that a clerk's rows are made of. The month is always one of their keys: the difference
 * of two periods is a number of months. Hidden cells are joined by month, and left out where they
 * have too few patients together, or under a filter, whose difference to all could be about few.
 */
async function cellsFor({ db }: Ports, scope: StatisticsScope, joinsHidden: boolean): Promise<ListedCells> {
  const keys = statisticsKeys.filter((key) => key === 'month' || scope.keys.includes(key))
  const cells = await selectCells(db, { ...scope, keys }, MIN_PATIENTS, MAX_CELLS + 1)
  if (cells.length > MAX_CELLS) throw orderProblem('too-many-rows.cells', null, { max: MAX_CELLS })
  const { shown, hidden } = splitCells(cells, parentsOf(keys.length))
  const months = groupsOf(hidden, (cell) => cell.split(CELL_SEPARATOR)[0] ?? '')
  const joined = joinsHidden ? months.filter((month) => countPatients(month) >= MIN_PATIENTS).flat() : []
  const textsOf = (of: readonly StatisticsCell[]) => of.map(({ cell }) => cell)
  return { keys, shown: textsOf(shown), joined: textsOf(joined) }
}

/** The coarser groups of a cell: those of its month and some of its other keys. */
function parentsOf(count: number): ((cell: string) => string)[] {
  const subsets = Array.from({ length: 2 ** (count - 1) - 1 }, (_, subset) => subset)
  return subsets.map((subset) => (cell) => {
    const [month, ...others] = cell.split(CELL_SEPARATOR)
    return [month, ...others.map((value, at) => (subset & (1 << at) ? value : ''))].join(CELL_SEPARATOR)
  })
}

function toStatistics(
  { resourceUrls }: Pick<Ports, 'resourceUrls'>,
  keys: readonly StatisticsKey[],
  { patients, ...row }: FigureRow
): OrderStatistics {
  const urls = keys.flatMap((key) => {
    const [type, id] = [referenceTypes[key], row[key]]
    return type && typeof id === 'string' ? [[key, resourceUrls.url(type, id)]] : []
  })
  return { ...row, ...Object.fromEntries(urls) } as unknown as OrderStatistics
}
