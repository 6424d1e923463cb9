import type { Party } from '../../../clients/typescript/src/index.js'
import { Loaded } from '../../parts/loaded.js'
import { deskText } from '../desk-texts.js'
import { DeskLink } from '../links.js'
import {
  addressOf,
  agreedText,
  deviceName,
  itemName,
  joined,
  numbersText,
  orderTitle,
  receiverText
} from '../resource-texts.js'
import { RowTable } from '../row-table.js'
import { ViewHead } from '../view-head.js'
import { useOrder } from './order.js'

/** A delivery note, to print and to sign. */
export function DeliveryNoteView({ id }: { id: string }) {
  return (
    <Loaded call={useOrder(id)}>
      {({ order, orderLines, expanded }) => {
        const partyName = (url: string) => (expanded[url] as Party | undefined)?.name
        const { receiver } = order
        const lines = orderLines.filter(({ status }) => status.code !== 'CANCELLED')
        return (
          <>
            <ViewHead title={deskText('deliveryNote')} />
            <p>{joined(' · ', orderTitle(order), ...order.identifiers.map(({ value }) => value))}</p>
            <p>
              {partyName(order.seller)} → {partyName(order.buyer)}
            </p>
            {receiver.patientName && (
              <p>
                {deskText('patient')}: {receiver.patientName}
              </p>
            )}
            <address>{joined(', ', receiverText(receiver), addressOf(receiver), receiver.phone)}</address>
            <RowTable
              label="lines"
              heads={['item', 'action', 'numbers', 'agreed']}
              rows={lines.map((line) => [
                deviceName(line.device) || itemName(line, expanded),
                line.action.display,
                numbersText(line.device) && <span class="number">{numbersText(line.device)}</span>,
                agreedText(line)
              ])}
            />
            <p class="signature">{deskText('signature')}</p>
            <p class="row">
              <button type="button" onClick={() => print()}>
                {deskText('print')}
              </button>
              <DeskLink to={['order', id]}>{deskText('back')}</DeskLink>
            </p>
          </>
        )
      }}
    </Loaded>
  )
}
