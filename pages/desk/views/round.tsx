import type { Order, OrderLine } from '../../../clients/typescript/src/index.js'
import { groupsOf, readList } from '../../parts/list.js'
import { DataTable } from '../../parts/table.js'
import { dateText, isDayText, today } from '../../parts/texts.js'
import { deskText, deskTextsOf } from '../desk-texts.js'
import { replaceQuery, type ViewProps } from '../links.js'
import { ListView } from '../lists/list-view.js'
import { OrderLink } from '../order-link.js'
import { addressOf, agreedText, lineTitle, patientNamed } from '../resource-texts.js'
import { useApi } from '../session.js'
import { PrintButton } from '../view-head.js'

/** The stops that are agreed for a day, by their times. A printed page has eight stops. */
export function RoundView({ query }: ViewProps) {
  const wanted = query.get('day') ?? ''
  const day = isDayText(wanted) ? wanted : today()
  const call = useApi(
    ({ client }, signal) => {
      const ofDay = { agreedFrom: day, agreedTo: day, sort: 'agreedFrom' } as const
      const search = { ...ofDay, status: ['SUBMITTED'], expand: ['orders', 'items'] } as const
      return readList((limit) => client.order.listOrderLine({ ...search, limit }, { signal }))
    },
    [day]
  )
  const title = `${deskText('round')}, ${dateText(day)}`
  return (
    <ListView
      title={title}
      call={call}
      actions={<PrintButton isQuiet />}
      filter={
        <label>
          {deskText('day')}
          <input
            class="short"
            type="date"
            value={day}
            onChange={({ currentTarget }) => replaceQuery(['round'], { day: currentTarget.value || today() })}
          />
        </label>
      }
    >
      {({ entries, expanded }) => (
        <div class="stops">
          <DataTable
            label={deskText('round')}
            pageHead={title}
            heads={deskTextsOf('agreed', 'receiver', 'item', 'order')}
            rows={groupsOf(entries, stopOf).map((lines) => stopRow(lines, expanded))}
            none={deskText('noRound')}
          />
        </div>
      )}
    </ListView>
  )
}

/** A stop has the lines of one order with the same time. */
const stopOf = ({ order, agreedFrom, agreedTo }: OrderLine) => [order, agreedFrom, agreedTo].join(' ')

function stopRow(lines: readonly [OrderLine, ...OrderLine[]], expanded: Readonly<Record<string, object>>) {
  const [first] = lines
  const order = expanded[first.order] as Order | undefined
  const tasks = lines.map((line) => <div key={line.id}>{lineTitle(line, expanded)}</div>)
  if (!order) return [agreedText(first), '', tasks]
  const { receiver } = order
  return [
    agreedText(first),
    <>
      <b>{receiver.name}</b>
      <div>{patientNamed(receiver)}</div>
      <div>{addressOf(receiver)}</div>
      {receiver.phone}
    </>,
    tasks,
    <>
      <OrderLink order={order} />
      <small>{order.identifiers[0]?.value}</small>
    </>
  ]
}
