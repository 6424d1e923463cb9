import type { Order, OrderLine } from '../../../clients/typescript/src/index.js'
import { groupsOf, readList } from '../../parts/list.js'
import { Loaded } from '../../parts/loaded.js'
import { dateText, isDay, today } from '../../parts/texts.js'
import { deskText } from '../desk-texts.js'
import { DeskLink, replaceQuery } from '../links.js'
import { addressOf, agreedText, lineTitle, orderTitle, patientText, receiverText } from '../resource-texts.js'
import { RowTable } from '../row-table.js'
import { useApi } from '../session.js'
import { ViewHead } from '../view-head.js'

/** The stops that are agreed for a day, by their times. Eight fit on a page of paper. */
export function RoundView({ query }: { query: URLSearchParams }) {
  const wanted = query.get('day') ?? ''
  const day = isDay(wanted) ? wanted : today()
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
    <>
      <ViewHead
        title={title}
        isLoaded={call.isSettled}
        actions={
          <button type="button" class="quiet" onClick={() => print()}>
            {deskText('print')}
          </button>
        }
      />
      <div class="card stops">
        <label class="filter">
          {deskText('day')}
          <input
            class="short"
            type="date"
            value={day}
            onChange={({ currentTarget }) => replaceQuery(['round'], { day: currentTarget.value || today() })}
          />
        </label>
        <Loaded call={call}>
          {({ entries, expanded }) => (
            <RowTable
              label="round"
              pageHead={title}
              heads={['agreed', 'receiver', 'item', 'order']}
              rows={groupsOf(entries, stopOf).map((lines) => stopRow(lines, expanded))}
              none="noRound"
            />
          )}
        </Loaded>
      </div>
    </>
  )
}

/** The lines of a stop are those of one order at one time. */
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
      <b>{patientText(receiver)}</b>
      {receiver.patientName && <div>{receiverText(receiver)}</div>}
      <div>{addressOf(receiver)}</div>
      {receiver.phone}
    </>,
    tasks,
    <>
      <DeskLink to={['order', order.id]}>{orderTitle(order)}</DeskLink>
      <small>{order.identifiers[0]?.value}</small>
    </>
  ]
}
