import type { ComponentChildren } from 'preact'
import { idOf, type OrderStatistics, type SslClient } from '../../../clients/typescript/src/index.js'
import { ActionButton } from '../../parts/actions.js'
import { fetchFile } from '../../parts/calls.js'
import { Loaded } from '../../parts/loaded.js'
import { saveFile } from '../../parts/save-file.js'
import { monthText, numberText } from '../../parts/texts.js'
import { Card } from '../card.js'
import { deskText } from '../desk-texts.js'
import { replaceQuery, type ViewProps } from '../links.js'
import { Choices } from '../lists/choices.js'
import { joined } from '../resource-texts.js'
import { type Session, useApi, useSession } from '../session.js'
import { PrintButton, ViewHead } from '../view-head.js'
import { FigureTable, type NamedFigures } from './figure-table.js'
import { Plot } from './plot.js'

type FigureQuery = Parameters<SslClient['order']['listOrderStatistics']>[0] & object

/** Months that can be chosen, which are the longest period, and months at first. */
const MONTHS = 25
const MONTHS_AT_FIRST = 12

/** What the view shows. Months are written `2025-11`. */
interface Choice {
  from: string
  to: string
  partner: string
  action: string
}

/** Figures of the orders of a period: by month, by partner and by action. */
export function FiguresView({ query }: ViewProps) {
  const session = useSession()
  const { isProvider, isClerk, codes } = session
  const choice: Choice = {
    from: monthIn(query, 'from') ?? monthsAgo(MONTHS_AT_FIRST - 1),
    to: monthIn(query, 'to') ?? monthsAgo(0),
    partner: query.get('partner') ?? '',
    action: query.get('action') ?? ''
  }
  const call = useApi((session, signal) => loadFigures(session, choice, signal), Object.values(choice))
  const choose = (changed: Partial<Choice>) => replaceQuery(['figures'], { ...choice, ...changed })
  const months = Array.from({ length: MONTHS }, (_, at) => monthsAgo(at)).map(
    (month) => [month, monthText(month)] as const
  )
  const actions = codes['order-line-action']
  const partnerKey = isProvider ? 'buyer' : 'seller'
  const partners = call.data?.byPartner.filter(({ key }) => key !== null) ?? []
  const partnerName = partners.find(({ key }) => key === choice.partner)?.name
  const title = `${deskText('figures')}, ${periodOf(choice)}`
  return (
    <>
      <ViewHead title={title} call={call} actions={<PrintButton isQuiet />}>
        <p class="soft">{joined(' · ', partnerName, actions.get(choice.action))}</p>
      </ViewHead>
      <div class="card filter">
        <div class="fields">
          <Choices
            hasLabel
            label="from"
            value={choice.from}
            choices={months}
            onChoose={(from) => choose({ from, to: from > choice.to ? from : choice.to })}
          />
          <Choices
            hasLabel
            label="to"
            value={choice.to}
            choices={months}
            onChoose={(to) => choose({ to, from: to < choice.from ? to : choice.from })}
          />
          <Choices
            hasLabel
            label={partnerKey}
            value={choice.partner}
            choices={[['', deskText('all')], ...partners.map(({ key, name }) => [key ?? '', name] as const)]}
            onChoose={(partner) => choose({ partner })}
          />
          <Choices
            hasLabel
            label="action"
            value={choice.action}
            choices={[['', deskText('all')], ...actions]}
            onChoose={(action) => choose({ action })}
          />
        </div>
      </div>
      <Loaded call={call}>
        {({ byMonth, byPartner, byAction }) =>
          byMonth.length === 0 ? (
            <p class="card empty" role="status">
              {deskText('noFigures')} {isClerk && deskText('fewHint')}
            </p>
          ) : (
            <>
              <Sums rows={byMonth} />
              <FigureCard by="month" rows={byMonth} choice={choice}>
                <Plots rows={byMonth} choice={choice} />
              </FigureCard>
              <FigureCard
                by={partnerKey}
                rows={byPartner}
                choice={{ ...choice, partner: '' }}
                current={choice.partner}
              />
              <FigureCard
                by="action"
                rows={byAction}
                choice={{ ...choice, action: '' }}
                current={choice.action}
              />
              {isClerk && <p class="soft">{deskText('fewHint')}</p>}
            </>
          )
        }
      </Loaded>
    </>
  )
}

/** Sums of the months that are shown. */
function Sums({ rows }: { rows: readonly NamedFigures[] }) {
  const sumOf = (name: 'orders' | 'late' | 'returned' | 'devicesInUse') =>
    rows.reduce((sum, { figures }) => sum + figures[name], 0)
  const all = sumOf('orders')
  return (
    <dl class="card sums">
      {(['orders', 'late', 'returned', 'devicesInUse'] as const).map((name) => (
        <div key={name}>
          <dt>{deskText(name)}</dt>
          <dd>
            {numberText(sumOf(name))}
            {(name === 'late' || name === 'returned') && (
              <small>{deskText('percent', { percent: Math.round((100 * sumOf(name)) / all) })}</small>
            )}
          </dd>
        </div>
      ))}
    </dl>
  )
}

type GroupKey = 'month' | 'buyer' | 'seller' | 'action'

const titles = { month: 'byMonth', buyer: 'byBuyer', seller: 'bySeller', action: 'byAction' } as const

interface FigureCardProps {
  by: GroupKey
  rows: readonly NamedFigures[]
  choice: Choice
  /** The key of the row that the user chose. */
  current?: string
  children?: ComponentChildren
}

/** A table of figures, which can be downloaded. */
function FigureCard({ by, rows, choice, current, children }: FigureCardProps) {
  const session = useSession()
  const title = deskText(titles[by])
  async function download() {
    const parameters = Object.entries(queryOf(session, choice, by)).flatMap(([name, value]) =>
      [value].flat().map((each) => [name, each])
    )
    const url = `${session.client.order.baseUrl}/order-statistics?${new URLSearchParams(parameters)}`
    const file = await fetchFile(session.source, url, 'text/csv')
    const shown = choice.action === '' ? file : await rowsOf(file, choice.action)
    saveFile(shown, `${joined(', ', title, periodOf(choice), choice.action)}.csv`)
  }
  return (
    <Card
      title={title}
      isFlush
      actions={<ActionButton label={deskText('downloadCsv')} isQuiet act={download} />}
    >
      {children}
      <FigureTable
        label={`${deskText('figures')}: ${title}`}
        head={deskText(by)}
        rows={rows}
        current={current}
      />
    </Card>
  )
}

/** The rows of a CSV file about an action. Keys have no commas, and neither has the action. */
async function rowsOf(file: Blob, action: string): Promise<Blob> {
  const [heads = '', ...rows] = (await file.text()).split('\r\n')
  const at = heads.split(',').indexOf('action')
  const shown = rows.filter((row) => row.split(',')[at] === action)
  // Excel reads the file as UTF-8 by this mark.
  return new Blob(['\ufeff', [heads, ...shown, ''].join('\r\n')], { type: file.type })
}

/** Plots over all months of the period. */
function Plots({ rows, choice }: { rows: readonly NamedFigures[]; choice: Choice }) {
  const months = Array.from({ length: MONTHS }, (_, at) => monthsAgo(at))
    .filter((month) => month >= choice.from && month <= choice.to)
    .reverse()
  const pointsOf = (name: 'orders' | 'answerHoursMedian' | 'deliveryDaysMedian') =>
    months.map((month) => {
      const figures = rows.find(({ key }) => key === month)?.figures
      const part = name === 'orders' && figures ? { part: figures.late } : {}
      return { name: monthText(month), value: figures?.[name] ?? null, ...part }
    })
  return (
    <div class="plots in">
      <Plot title={deskText('ordersAndLate')} points={pointsOf('orders')} />
      <Plot title={deskText('answerHoursMedian')} points={pointsOf('answerHoursMedian')} isLine />
      <Plot title={deskText('deliveryDaysMedian')} points={pointsOf('deliveryDaysMedian')} isLine />
    </div>
  )
}

/** The query of a table. The server cannot filter by action: then it is a key. */
function queryOf({ isProvider }: Session, choice: Choice, key: GroupKey) {
  const { from, to, partner, action } = choice
  const [year = 0, month = 0] = to.split('-').map(Number)
  return {
    from: `${from}-01`,
    to: new Date(Date.UTC(year, month, 0)).toISOString().slice(0, 10),
    groupBy: action && key !== 'action' ? [key, 'action' as const] : [key],
    ...(partner && { [isProvider ? 'buyer' : 'seller']: partner })
  } satisfies FigureQuery
}

/** The figures of the choice. Tables of partners and of actions have all of these. */
async function loadFigures(session: Session, choice: Choice, signal: AbortSignal) {
  const { client, isProvider, codes } = session
  const partnerKey = isProvider ? 'buyer' : 'seller'
  const read = async (key: GroupKey, wanted: Choice) => {
    const { data } = await client.order.listOrderStatistics(queryOf(session, wanted, key), { signal })
    return data.filter(({ action }) => wanted.action === '' || action === wanted.action)
  }
  const [months, partners, actions] = await Promise.all([
    read('month', choice),
    read(partnerKey, { ...choice, partner: '' }),
    read('action', { ...choice, action: '' })
  ])
  const names = await partnerNames(
    session,
    partners.map((row) => row[partnerKey])
  )
  const named = (
    rows: readonly OrderStatistics[],
    key: keyof OrderStatistics,
    nameOf: (value: string) => string
  ) =>
    rows.map((figures): NamedFigures => {
      const value = figures[key] as string | null
      return { key: value, name: value === null ? deskText('others') : nameOf(value), figures }
    })
  return {
    byMonth: named(months, 'month', monthText),
    byPartner: byOrders(named(partners, partnerKey, (url) => names.get(url) ?? deskText('noName'))),
    byAction: byOrders(named(actions, 'action', (code) => codes['order-line-action'].get(code) ?? code))
  }
}

/** The names of parties, also of those without a contract in force. */
async function partnerNames({ client, partyOf }: Session, urls: readonly (string | null | undefined)[]) {
  const names = new Map<string, string>()
  for (const url of urls) {
    if (!url) continue
    const known = partyOf(url) ?? (await client.order.getParty(idOf(url)).catch(() => undefined))?.data
    if (known) names.set(url, known.name)
  }
  return names
}

/** The most orders first, and the others last. */
const byOrders = (rows: NamedFigures[]) =>
  rows.sort((a, b) => Number(a.key === null) - Number(b.key === null) || b.figures.orders - a.figures.orders)

/** A month that a route names. */
const monthIn = (query: URLSearchParams, name: 'from' | 'to') =>
  query.get(name)?.match(/^\d{4}-(0[1-9]|1[0-2])$/)?.[0]

/** A month of today's year or an earlier one. */
function monthsAgo(count: number): string {
  const today = new Date()
  return new Date(Date.UTC(today.getFullYear(), today.getMonth() - count)).toISOString().slice(0, 7)
}

const periodOf = ({ from, to }: Choice) =>
  from === to ? monthText(from) : `${monthText(from)} – ${monthText(to)}`
