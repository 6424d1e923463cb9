import type { Order, OrderLine } from '../../../clients/typescript/src/index.js'
import { type Part, readList } from '../../parts/list.js'
import { Loaded } from '../../parts/loaded.js'
import { dateText } from '../../parts/texts.js'
import { type DeskTextKey, deskText } from '../desk-texts.js'
import { DeskLink, replaceQuery } from '../links.js'
import {
  addressOf,
  agreedText,
  itemName,
  joined,
  orderTitle,
  patientText,
  receiverText
} from '../resource-texts.js'
import { RowTable } from '../row-table.js'
import { useApi } from '../session.js'
import { ViewHead } from '../view-head.js'

const today = () => new Intl.DateTimeFormat('sv').format(new Date())

/** The lines that are agreed for a day, in the order of their times. */
export function RoundView({ query }: { query: URLSearchParams }) {
  const day = query.get('day') ?? today()
  const call = useApi(
    ({ client }, signal) => {
      const ofDay = { agreedFrom: day, agreedTo: day, sort: 'agreedFrom' } as const
      const wanted = { ...ofDay, status: ['SUBMITTED'], expand: ['orders', 'items'] } as const
      return readList((limit) => client.order.listOrderLine({ ...wanted, limit }, { signal }))
    },
    [day]
  )
  return (
    <>
      <ViewHead
        title={deskText('round')}
        tabTitle={`${deskText('round')} ${dateText(day)}`}
        isLoaded={call.data !== undefined}
        actions={
          <button type="button" class="quiet" onClick={() => print()}>
            {deskText('print')}
          </button>
        }
      />
      <div class="card">
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
          {(page) => (
            <LineTable label="round" page={page} firstHead="agreed" firstOf={agreedText} none="noRound" />
          )}
        </Loaded>
      </div>
    </>
  )
}

interface LineTableProps {
  label: DeskTextKey
  page: Pick<Part<OrderLine>, 'entries' | 'expanded'>
  firstHead: 'agreed' | 'numbers'
  firstOf(line: OrderLine): string
  none?: DeskTextKey
}

/** Lines of several orders, with their receivers. */
export function LineTable({ page: { entries, expanded }, firstHead, firstOf, ...table }: LineTableProps) {
  const rows = entries.map((line) => {
    const order = expanded[line.order] as Order | undefined
    if (!order) return [firstOf(line)]
    const { receiver } = order
    return [
      firstOf(line),
      <>
        {patientText(receiver)}
        <small>
          {joined(' · ', receiver.patientName && receiverText(receiver), addressOf(receiver), receiver.phone)}
        </small>
      </>,
      `${itemName(line, expanded)}: ${line.action.display}`,
      <DeskLink key={line.id} to={['order', order.id]}>
        {orderTitle(order)}
      </DeskLink>
    ]
  })
  return <RowTable {...table} heads={[firstHead, 'receiver', 'item', 'order']} rows={rows} />
}
