import { idOf } from '../../../clients/typescript/src/index.js'
import { Loaded } from '../../parts/loaded.js'
import { monthText, numberText } from '../../parts/texts.js'
import { Choices } from '../code-fields.js'
import { deskText } from '../desk-texts.js'
import { replaceQuery, type ViewProps } from '../links.js'
import { joined } from '../resource-texts.js'
import { type Session, useApi, useSession } from '../session.js'
import { PrintButton, ViewHead } from '../view-head.js'
import { FigureCard, type FigureCardProps, type NamedFigures } from './figure-card.js'
import { type Choice, choiceIn, type GroupKey, periodOf, queryOf, recentMonths } from './figure-query.js'
import { Plot } from './plot.js'

/** Figures of the orders of a period: by month, by partner and by action. */
export function FiguresView({ query }: ViewProps) {
  const { partner, isClerk, codes } = useSession()
  const choice = choiceIn(query)
  const call = useApi((session, signal) => loadFigures(session, choice, signal), Object.values(choice))
  const actions = codes['order-line-action']
  const [, partners] = call.data ?? []
  const partnerName = partners?.rows.find(({ key }) => key === choice.partner)?.name
  const months = recentMonths().map((month) => [month, monthText(month)] as const)
  const all = ['', deskText('all')] as const
  const partnerChoices = partners?.rows.flatMap(({ key, name }) =>
    key === null ? [] : [[key, name] as const]
  )
  const fields = [
    ['from', 'from', months],
    ['to', 'to', months],
    ['partner', partner, [all, ...(partnerChoices ?? [])]],
    ['action', 'action', [all, ...actions]]
  ] as const
  function choose(name: keyof Choice, value: string) {
    const next = { ...choice, [name]: value }
    // A period begins before it ends.
    replaceQuery(['figures'], next.from > next.to ? { ...next, from: value, to: value } : next)
  }
  return (
    <>
      <ViewHead
        title={`${deskText('figures')}, ${periodOf(choice)}`}
        call={call}
        actions={<PrintButton isQuiet />}
      >
        <p class="soft">{joined(' · ', partnerName, actions.get(choice.action))}</p>
      </ViewHead>
      <div class="card filter">
        <div class="fields">
          {fields.map(([name, label, choices]) => (
            <Choices
              key={name}
              hasLabel
              label={label}
              value={choice[name]}
              choices={choices}
              onChoose={(value) => choose(name, value)}
            />
          ))}
        </div>
      </div>
      <Loaded call={call}>
        {([byMonth, byPartner, byAction]) =>
          byMonth.rows.length === 0 ? (
            <p class="card empty" role="status">
              {deskText('noFigures')} {isClerk && deskText('fewHint')}
            </p>
          ) : (
            <>
              <Sums rows={byMonth.rows} />
              <p class="soft">{deskText('lateHint')}</p>
              <FigureCard {...byMonth}>
                <Plots {...byMonth} />
              </FigureCard>
              <FigureCard {...byPartner} chosen={choice.partner} />
              <FigureCard {...byAction} chosen={choice.action} />
              {isClerk && <p class="soft">{deskText('fewHint')}</p>}
            </>
          )
        }
      </Loaded>
    </>
  )
}

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

function Plots({ rows, choice }: FigureCardProps) {
  const months = recentMonths()
    .filter((month) => month >= choice.from && month <= choice.to)
    .reverse()
  const plotOf = (name: 'orders' | 'answerHoursMedian' | 'deliveryDaysMedian') => {
    const points = months.map((month) => {
      const figures = rows.find(({ key }) => key === month)?.figures
      const part = name === 'orders' ? figures?.late : undefined
      return { name: monthText(month), value: figures?.[name] ?? null, part }
    })
    const title = deskText(name === 'orders' ? 'ordersAndLate' : name)
    return <Plot title={title} points={points} isLine={name !== 'orders'} />
  }
  return (
    <div class="plots in">
      {plotOf('orders')}
      {plotOf('answerHoursMedian')}
      {plotOf('deliveryDaysMedian')}
    </div>
  )
}

/**
 * The figures of the choice. The tables of partners and actions show all partners and all actions.
 */
function loadFigures(session: Session, choice: Choice, signal: AbortSignal) {
  const { client, partyOf, partner, codes } = session
  async function read(by: GroupKey, wanted: Choice, nameOf: (key: string) => string | Promise<string>) {
    const { data } = await client.order.listOrderStatistics(queryOf(session, wanted, by), { signal })
    const rows: NamedFigures[] = []
    for (const figures of data) {
      if (wanted.action !== '' && figures.action !== wanted.action) continue
      const key = figures[by] ?? null
      rows.push({ key, name: key === null ? deskText('others') : await nameOf(key), figures })
    }
    return { by, choice: wanted, rows: by === 'month' ? rows : rows.sort(byOrders) }
  }
  /** The name of a party, also of one without a contract in force. */
  async function partyName(url: string) {
    const party = partyOf(url) ?? (await client.order.getParty(idOf(url)).catch(() => undefined))?.data
    return party?.name ?? deskText('noName')
  }
  return Promise.all([
    read('month', choice, monthText),
    read(partner, { ...choice, partner: '' }, partyName),
    read('action', { ...choice, action: '' }, (code) => codes['order-line-action'].get(code) ?? code)
  ])
}

/** Sorts by number of orders, highest first, with the row of small groups last. */
const byOrders = (a: NamedFigures, b: NamedFigures) =>
  Number(a.key === null) - Number(b.key === null) || b.figures.orders - a.figures.orders
