import { useState } from 'preact/hooks'
import type { OrderLine } from '../../../clients/typescript/src/index.js'
import { ListEnd, type Part, readList } from '../../parts/list.js'
import { Loaded } from '../../parts/loaded.js'
import { dateText } from '../../parts/texts.js'
import { Card } from '../card.js'
import { deskText } from '../desk-texts.js'
import { DeskLink } from '../links.js'
import { OrderTable } from '../order-table.js'
import { addressOf, deviceName, numbersText, patientText } from '../resource-texts.js'
import { RowTable } from '../row-table.js'
import { type Session, useApi } from '../session.js'
import { ViewHead } from '../view-head.js'

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
export function PatientView({ patient }: { patient: string }) {
  const [size, setSize] = useState(STEP)
  const call = useApi((session, signal) => loadPatient(session, patient, signal, size), [patient, size])
  return (
    <Loaded call={call}>
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
            <DeviceTable patient={patient} devices={devices} />
          </Card>
          <Card isFlush title={deskText('orders')}>
            {orders.entries.length === 0 ? (
              <p class="empty">{deskText('noOrders')}</p>
            ) : (
              <OrderTable label={deskText('orders')} page={orders} />
            )}
            <ListEnd page={orders} onMore={() => setSize(size + STEP)} />
          </Card>
        </>
      )}
    </Loaded>
  )
}

function DeviceTable({ patient, devices }: { patient: string; devices: Part<OrderLine> }) {
  const rows = devices.entries.map(({ id, device }) => [
    deviceName(device),
    numbersText(device),
    device && dateText(device.from.slice(0, 10)),
    <DeskLink key={id} to={['new', patient]} query={{ device: id }}>
      {deskText('orderForDevice')}
    </DeskLink>
  ])
  const heads = ['device', 'numbers', 'since', 'actions'] as const
  return <RowTable label="devicesAtHome" heads={heads} rows={rows} none="noDevices" />
}
