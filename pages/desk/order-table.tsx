import type { Order, Party } from '../../clients/typescript/src/index.js'
import { locale } from '../parts/language.js'
import type { ListPart } from '../parts/list.js'
import { DataTable } from '../parts/table.js'
import { dateText, today } from '../parts/texts.js'
import { type DeskTextKey, deskText, deskTextsOf } from './desk-texts.js'
import { OrderLink } from './order-link.js'
import { OrderTags } from './order-tags.js'
import { joined, patientText } from './resource-texts.js'
import { useSession } from './session.js'

interface OrderTableProps extends Pick<Parameters<typeof DataTable>[0], 'none' | 'instead'> {
  label: DeskTextKey
  page: Pick<ListPart<Order>, 'entries' | 'expanded'>
}

/** Orders with their parties, each with a link to its view. */
export function OrderTable({ label, page, ...empty }: OrderTableProps) {
  const { partner } = useSession()
  const rows = page.entries.map((order) => [
    <>
      <OrderLink order={order} />
      <small>{joined(' · ', order.identifiers[0]?.value, sentText(order))}</small>
    </>,
    <>
      {patientText(order.receiver)}
      <small>{joined(' ', order.receiver.postalCode, order.receiver.postalDistrict)}</small>
    </>,
    (page.expanded[order[partner]] as Party | undefined)?.name,
    <OrderTags key={order.id} order={order} />,
    <DueText key={order.id} order={order} />
  ])
  const heads = deskTextsOf('order', 'patient', partner, 'status', 'wishedBy')
  return <DataTable label={deskText(label)} heads={heads} rows={rows} {...empty} />
}

const sentText = ({ submitted, created }: Order): string =>
  submitted
    ? deskText('sentAt', { time: dateText(submitted.slice(0, 10)) })
    : deskText('createdAt', { time: dateText((created ?? '').slice(0, 10)) })

/** The last day of the delivery wish, and the number of days until then. */
function DueText({ order: { latestDeliveryDate: day, status } }: { order: Order }) {
  if (!day) return null
  const isOpen = status.code === 'SUBMITTED' || status.code === 'ACCEPTED'
  const days = Math.round((Date.parse(day) - Date.parse(today())) / 86_400_000)
  const isLate = isOpen && days < 0
  return (
    <span class={isLate ? 'named late' : 'named'}>
      {dateText(day)}
      {isOpen && <small class="below">{isLate ? lateText(-days) : daysText(days)}</small>}
    </span>
  )
}

const lateText = (count: number) => deskText(count === 1 ? 'dayLate' : 'daysLate', { count })
const daysText = (days: number) =>
  new Intl.RelativeTimeFormat(locale(), { numeric: 'auto' }).format(days, 'day')
