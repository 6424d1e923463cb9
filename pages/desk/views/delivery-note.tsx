import type { ComponentChildren } from 'preact'
import type { OrderLine, Party } from '../../../clients/typescript/src/index.js'
import { Loaded } from '../../parts/loaded.js'
import { DataTable } from '../../parts/table.js'
import { fullDateText } from '../../parts/texts.js'
import { FactList } from '../card.js'
import { type DeskTextKey, deskText, deskTextsOf } from '../desk-texts.js'
import { DeskLink, type ViewProps } from '../links.js'
import {
  addressOf,
  agreedText,
  deviceName,
  itemName,
  joined,
  orderTitle,
  patientText,
  periodText,
  udiText
} from '../resource-texts.js'
import { PrintButton, ViewHead } from '../view-head.js'
import { useOrder } from './order.js'
import { isDeliverable } from './order-part.js'

/** A delivery note, to print and to sign. Each page has the number of the order. */
export function DeliveryNoteView({ id }: ViewProps) {
  return (
    <Loaded
      call={useOrder(id)}
      head={<ViewHead title={deskText('deliveryNote')} />}
      missing={deskText('orderMissing')}
    >
      {({ order, orderLines, expanded }) => {
        const partyName = (url: string) => (expanded[url] as Party | undefined)?.name
        const { receiver } = order
        const numbers = joined(', ', ...order.identifiers.map(({ value }) => value))
        const lines = orderLines.filter(isDeliverable)
        const facts: readonly (readonly [DeskTextKey, ComponentChildren])[] = [
          ['order', joined(' · ', numbers, orderTitle(order))],
          ['patient', receiver.patientName],
          ['receiver', joined(', ', receiver.name, addressOf(receiver), receiver.phone)],
          ['wish', periodText(order.earliestDeliveryDate, order.latestDeliveryDate)],
          ['agreed', [...new Set(lines.map(agreedText).filter(Boolean))].join(', ')],
          ['seller', partyName(order.seller)],
          ['buyer', partyName(order.buyer)]
        ]
        return (
          <>
            <ViewHead
              title={deskText('deliveryNote')}
              tabTitle={joined(' · ', deskText('deliveryNote'), order.number)}
              actions={
                <>
                  <PrintButton />
                  <DeskLink to={['order', id]} class="button quiet">
                    {deskText('back')}
                  </DeskLink>
                </>
              }
            />
            <FactList facts={facts} />
            <div class="card">
              <DataTable
                label={deskText('lines')}
                pageHead={
                  <>
                    {joined(' · ', deskText('deliveryNote'), numbers)} ·{' '}
                    <span class="number">{order.number}</span> · {patientText(receiver)}
                  </>
                }
                heads={deskTextsOf('item', 'action', 'numbers', 'agreed')}
                rows={lines.map((line) => [
                  deviceName(line.device) || itemName(line, expanded),
                  line.action.display,
                  <DeviceNumbers key={line.id} device={line.device} />,
                  agreedText(line)
                ])}
                none={deskText('nothingToDeliver')}
              />
            </div>
            {lines.length > 0 && <p class="signature">{deskText('signature')}</p>}
          </>
        )
      }}
    </Loaded>
  )
}

/** The numbers of a device: its UDI only where no number was read from the UDI. */
function DeviceNumbers({ device }: Pick<OrderLine, 'device'>) {
  const { serialNumber, lotNumber, expiryDate } = device ?? {}
  const numbers = {
    serialNumber,
    lotNumber,
    udi: udiText(device),
    expiryDate: expiryDate && fullDateText(expiryDate)
  }
  return (
    <>
      {(['serialNumber', 'lotNumber', 'udi', 'expiryDate'] as const).map(
        (name) => numbers[name] && <div key={name}>{`${deskText(name)}: ${numbers[name]}`}</div>
      )}
    </>
  )
}
