import type { Device, OrderLine, Page } from '../../../clients/typescript/src/index.js'
import { Field } from '../../../pages/parts/field.js'
import { DataTable } from '../../../pages/parts/table.js'
import { dateText } from '../../../pages/parts/texts.js'
import { ActionButton } from '../actions.js'
import { Choice, useCodes } from '../codes.js'
import { deskText, deskTextsOf } from '../desk-texts.js'
import { DeskLink } from '../links.js'
import { addressOf, deviceName, numbersText } from '../resource-texts.js'
import { Loaded, type Session, useApi, useSession } from '../session.js'
import { OrderTable } from './orders.js'

/** What is known of a patient: the orders, and the lines that delivered what is at home. */
export async function loadPatient({ client: { order } }: Session, patient: string, signal: AbortSignal) {
  const [orders, devices] = await Promise.all([
    order.listOrder({ patient, expand: ['parties'], limit: 100 }, { signal }).first(),
    order.listOrderLine({ patient, inUse: true, expand: ['items'] }, { signal }).first()
  ])
  return { orders, devices, receiver: orders.entries[0]?.receiver }
}

/** What a patient has at home, and the patient's orders. */
export function PatientView({ patient }: { patient: string }) {
  const call = useApi((session, signal) => loadPatient(session, patient, signal), [patient])
  return (
    <Loaded call={call}>
      {({ orders, devices, receiver }) => (
        <>
          <h2>{receiver?.name ?? deskText('newPatient')}</h2>
          <p>{receiver ? addressOf(receiver) : patient}</p>
          <DeskLink to={['new', patient]} isButton>
            {deskText('orderForPatient')}
          </DeskLink>
          <h3>{deskText('devicesAtHome')}</h3>
          <DeviceTable patient={patient} devices={devices} onChange={call.reload} />
          <h3>{deskText('orders')}</h3>
          {orders.entries.length === 0 ? (
            <p>{deskText('noOrders')}</p>
          ) : (
            <OrderTable label={deskText('orders')} page={orders} />
          )}
        </>
      )}
    </Loaded>
  )
}

function DeviceTable(props: { patient: string; devices: Page<OrderLine>; onChange(): void }) {
  const { entries, expanded } = props.devices
  if (entries.length === 0) return <p>{deskText('noDevices')}</p>
  const rows = entries.map(({ id, device }) => [
    deviceName(device, expanded),
    numbersText(device),
    device && dateText(device.from.slice(0, 10)),
    <span key={id} class="row">
      <DeskLink to={['new', props.patient]} query={{ device: id }}>
        {deskText('orderForDevice')}
      </DeskLink>
      <EndOfUse line={id} onChange={props.onChange} />
    </span>
  ])
  const heads = deskTextsOf('device', 'numbers', 'since', 'actions')
  return <DataTable label={deskText('devicesAtHome')} heads={heads} rows={rows} />
}

/** Says that a device is no longer in use although nobody fetched it. */
function EndOfUse({ line, onChange }: { line: string; onChange(): void }) {
  const { client } = useSession()
  const reasons = useCodes('device-end-reason')
  // The others follow from orders.
  const byHand = new Map([...reasons].filter(([code]) => ['LOST', 'DISCARDED', 'KEPT'].includes(code)))
  function end(data: FormData) {
    const value = String(data.get('reason')) as NonNullable<Device['endReason']>['code']
    return client.order.patchOrderLine(line, [{ op: 'add', path: '/device/endReason', value }]).then(onChange)
  }
  return (
    <ActionButton label={deskText('endUse')} isQuiet act={end}>
      <Field label={deskText('reason')}>
        {({ id }) => <Choice id={id} name="reason" options={byHand} />}
      </Field>
    </ActionButton>
  )
}
