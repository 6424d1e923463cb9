import type { OrderLine, Page } from '../../../clients/typescript/src/index.js'
import { Loaded } from '../../../pages/parts/loaded.js'
import { dateText } from '../../../pages/parts/texts.js'
import { deskText } from '../desk-texts.js'
import { DeskLink } from '../links.js'
import { addressOf, deviceName, numbersText } from '../resource-texts.js'
import { RowTable } from '../row-table.js'
import { type Session, useApi } from '../session.js'
import { OrderTable } from './orders.js'

/** A patient: the orders, and the lines that delivered the devices at home. */
export async function loadPatient({ client: { order } }: Session, patient: string, signal: AbortSignal) {
  const [orders, devices] = await Promise.all([
    order.listOrder({ patient, expand: ['parties'], limit: 100 }, { signal }).first(),
    order.listOrderLine({ patient, inUse: true, expand: ['items'] }, { signal }).first()
  ])
  return { orders, devices, receiver: orders.entries[0]?.receiver }
}

/** The devices that a patient has at home, and the patient's orders. */
export function PatientView({ patient }: { patient: string }) {
  const call = useApi((session, signal) => loadPatient(session, patient, signal), [patient])
  return (
    <Loaded call={call}>
      {({ orders, devices, receiver }) => (
        <>
          <h2>{receiver?.name ?? deskText('newPatient')}</h2>
          <p>{receiver ? addressOf(receiver) : patient}</p>
          <DeskLink to={['new', patient]} role="button">
            {deskText('orderForPatient')}
          </DeskLink>
          <h3>{deskText('devicesAtHome')}</h3>
          <DeviceTable patient={patient} devices={devices} />
          <h3>{deskText('orders')}</h3>
          <OrderTable label="orders" page={orders} />
        </>
      )}
    </Loaded>
  )
}

function DeviceTable({ patient, devices }: { patient: string; devices: Page<OrderLine> }) {
  const { entries, expanded } = devices
  const rows = entries.map(({ id, device }) => [
    deviceName(device, expanded),
    numbersText(device),
    device && dateText(device.from.slice(0, 10)),
    <DeskLink key={id} to={['new', patient]} query={{ device: id }}>
      {deskText('orderForDevice')}
    </DeskLink>
  ])
  const heads = ['device', 'numbers', 'since', 'actions'] as const
  return <RowTable label="devicesAtHome" heads={heads} rows={rows} none="noDevices" />
}
