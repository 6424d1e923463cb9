import type { SslClient } from '../../../clients/typescript/src/index.js'
import { monthText } from '../../parts/texts.js'
import type { Session } from '../session.js'

/** The choice of figures. Months are written `2025-11`. */
export type Choice = Readonly<Record<'from' | 'to' | 'partner' | 'action', string>>

export type GroupKey = 'month' | 'buyer' | 'seller' | 'action'

/** The query of a table. The server cannot filter by action, so a chosen action becomes a key. */
export function queryOf(session: Session, { from, to, partner, action }: Choice, key: GroupKey) {
  const [year = 0, month = 0] = to.split('-').map(Number)
  return {
    from: `${from}-01`,
    to: new Date(Date.UTC(year, month, 0)).toISOString().slice(0, 10),
    groupBy: action && key !== 'action' ? [key, 'action' as const] : [key],
    ...(partner && { [session.partner]: partner })
  } satisfies Parameters<SslClient['order']['listOrderStatistics']>[0]
}

/**
 * Number of months that can be chosen, which is the longest period, and number of months at first.
 */
const MONTHS = 25
const MONTHS_AT_FIRST = 12

/** A month of today's year or an earlier one. */
function monthsAgo(count: number): string {
  const today = new Date()
  return new Date(Date.UTC(today.getFullYear(), today.getMonth() - count)).toISOString().slice(0, 7)
}

/** The months that can be chosen, latest first. */
export const recentMonths = (): string[] => Array.from({ length: MONTHS }, (_, at) => monthsAgo(at))

/** The choice in a route. */
export function choiceIn(query: URLSearchParams): Choice {
  const month = (name: string) => query.get(name)?.match(/^\d{4}-(0[1-9]|1[0-2])$/)?.[0]
  return {
    from: month('from') ?? monthsAgo(MONTHS_AT_FIRST - 1),
    to: month('to') ?? monthsAgo(0),
    partner: query.get('partner') ?? '',
    action: query.get('action') ?? ''
  }
}

export const periodOf = ({ from, to }: Choice): string =>
  from === to ? monthText(from) : `${monthText(from)} – ${monthText(to)}`
