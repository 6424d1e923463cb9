import { useState } from 'preact/hooks'
import { ListEnd, readList } from '../../parts/list.js'
import { Loaded } from '../../parts/loaded.js'
import { DataTable } from '../../parts/table.js'
import { dateText } from '../../parts/texts.js'
import { Card } from '../card.js'
import { deskText, deskTextsOf } from '../desk-texts.js'
import { DeskLink, type ViewProps } from '../links.js'
import { OrderTable } from '../order-table.js'
import { addressOf, deviceName, patientText } from '../resource-texts.js'
import { type Session, useApi } from '../session.js'
import { ViewHead } from '../view-head.js'
import { DeviceActions, KnownNumbers } from './device-actions.js'

/** Orders that are shown at first, and with each further step. */
const STEP = 25

/** A patient: the orders, and the lines that delivered the devices at home. */
export async function loadPatient(
  { client: { order } }: Session,
  patient: string,
  signal: AbortSignal,
  size = STEP
) {
  const ordersOf = (limit: number) =>
    order.listOrder({ patient, expand: ['parties'], limit, count: true }, { signal })
  const devicesOf = (limit: number) => order.listOrderLine({ patient, inUse: true, limit }, { signal })
  const [orders, devices] = await Promise.all([readList(ordersOf, size), readList(devicesOf)])
  return { orders, devices, receiver: orders.entries[0]?.receiver }
}

/** The devices that a patient has at home, and the patient's orders. */
export function PatientView({ id: patient }: ViewProps) {
  const [size, setSize] = useState(STEP)
  const call = useApi((session, signal) => loadPatient(session, patient, signal, size), [patient], [size])
  return (
    <Loaded call={call} head={<ViewHead title={deskText('patient')} />}>
      {({ orders, devices, receiver }) => (
        <>
          <ViewHead
            title={receiver ? patientText(receiver) : deskText('newPatient')}
            actions={
              <DeskLink to={['new', patient]} class="button">
                {deskText('orderForPatient')}
              </DeskLink>
            }
          >
            {receiver && <p class="soft">{addressOf(receiver)}</p>}
          </ViewHead>
          <Card isFlush title={deskText('devicesAtHome')}>
            <DataTable
              label={deskText('devicesAtHome')}
              heads={deskTextsOf('device', 'numbers', 'since', 'actions')}
              rows={devices.entries.map((line) => [
                deviceName(line.device),
                <KnownNumbers key={line.id} {...line} />,
                line.device && <span class="named">{dateText(line.device.from.slice(0, 10))}</span>,
                <DeviceActions key={line.id} line={line} reload={call.reload} />
              ])}
              none={deskText('noDevices')}
            />
          </Card>
          <Card isFlush title={deskText('orders')}>
            <OrderTable label="orders" page={orders} none={deskText('noOrders')} />
            <ListEnd page={orders} onMore={() => setSize(size + STEP)} />
          </Card>
        </>
      )}
    </Loaded>
  )
}
