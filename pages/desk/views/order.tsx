import type { ComponentChildren } from 'preact'
import { Loaded } from '../../parts/loaded.js'
import { dateText } from '../../parts/texts.js'
import { deskText } from '../desk-texts.js'
import { DeskLink } from '../links.js'
import { addressOf, type Expanded, joined, orderTitle, patientText } from '../resource-texts.js'
import { useApi, useSession } from '../session.js'
import { OrderLines } from './order-lines.js'
import { OrderMoves } from './order-moves.js'
import { OrderNotes } from './order-notes.js'
import type { OrderPart } from './order-part.js'
import { OrderMarks } from './orders.js'
import { Timeline } from './timeline.js'

/** One order: its lines, what the user can do, the notes and the history. */
export function OrderView({ id, query }: { id: string; query: URLSearchParams }) {
  const { reload, ...call } = useOrder(id)
  return (
    <Loaded call={{ ...call, reload }}>
      {(details) => {
        const part = { ...details, reload }
        return (
          <>
            <h2>{orderTitle(details.order)}</h2>
            <p role="status">
              <OrderMarks order={details.order} />
            </p>
            {query.has('unsent') && details.order.status.code === 'DRAFT' && (
              <p class="bad" role="alert">
                ✗ {deskText('unsent')}
              </p>
            )}
            <OrderFacts {...part} />
            <OrderMoves {...part} />
            <OrderLines {...part} />
            <OrderNotes {...part} />
            <Timeline {...part} />
          </>
        )
      }}
    </Loaded>
  )
}

/** Reads an order with its lines, its trace, and the items and parties. */
export const useOrder = (id: string) =>
  useApi(
    async ({ client }, signal) => {
      const { data, etag } = await client.order.getOrderDetails(
        id,
        { expand: ['items', 'parties'] },
        { signal }
      )
      return { ...data, expanded: data.expanded as Expanded, etag }
    },
    [id]
  )

function OrderFacts({ order }: OrderPart) {
  const { isProvider, partyOf } = useSession()
  const { receiver, earliestDeliveryDate: from, latestDeliveryDate: to, statusReason } = order
  const party = partyOf(isProvider ? order.buyer : order.seller)
  const facts: Record<string, ComponentChildren> = {
    [deskText('patient')]: isProvider ? (
      patientText(receiver)
    ) : (
      <DeskLink to={['patient', receiver.patient]}>{patientText(receiver)}</DeskLink>
    ),
    [deskText('receiver')]: receiver.patientName && receiver.name,
    [deskText('address')]: addressOf(receiver),
    [deskText('contact')]: joined(' · ', receiver.phone, receiver.email),
    [deskText(isProvider ? 'buyer' : 'seller')]: joined(' · ', party?.name, party?.email),
    [deskText('wish')]: (from || to) && `${from ? dateText(from) : ''} – ${to ? dateText(to) : ''}`,
    [deskText('numbers')]: joined(' · ', ...order.identifiers.map(({ value }) => value)),
    [deskText('reason')]: joined(': ', statusReason?.code?.display, statusReason?.text)
  }
  return (
    <table>
      <tbody>
        {Object.entries(facts).map(
          ([name, value]) =>
            value && (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td>{value}</td>
              </tr>
            )
        )}
      </tbody>
    </table>
  )
}
