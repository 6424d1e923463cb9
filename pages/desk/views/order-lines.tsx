import type { OrderLine } from '../../../clients/typescript/src/index.js'
import { ActionButton, textOf } from '../../parts/actions.js'
import { partsText } from '../../parts/parts-texts.js'
import { type DeskTextKey, deskText } from '../desk-texts.js'
import { agreedText, itemName, joined, lineTitle, numbersText } from '../resource-texts.js'
import { RowTable } from '../row-table.js'
import { useSession } from '../session.js'
import { TextField } from '../text-field.js'
import { ReasonFields } from './order-moves.js'
import { moveTo, type OrderPart, reasonIn, useChanges } from './order-part.js'

type LinePart = OrderPart & { line: OrderLine }

/** The lines of an order, and what the user can do with each. */
export function OrderLines(part: OrderPart) {
  const { isProvider } = useSession()
  const { orderLines, expanded } = part
  const agreeable = orderLines.filter(({ status }) => status.code === 'SUBMITTED')
  return (
    <>
      <h3>{deskText('lines')}</h3>
      <RowTable
        label="lines"
        heads={['item', 'action', 'status', 'agreed', 'actions']}
        rows={orderLines.map((line) => [
          <>
            {itemName(line, expanded)}
            <small>{deviceTexts(line)}</small>
          </>,
          line.action.display,
          statusText(line),
          agreedText(line),
          <LineMoves key={line.id} {...part} line={line} />
        ])}
      />
      {isProvider && agreeable.length > 0 && <AgreeButton {...part} orderLines={agreeable} />}
    </>
  )
}

/** The numbers of the device that a line delivered, or the device that it is about. */
const deviceTexts = ({ device, relatedDevice }: OrderLine) =>
  joined(
    ' · ',
    numbersText(device),
    device && differenceText(device.differsFromUdi),
    relatedDevice &&
      `${deskText('forDevice')}: ${joined(', ', relatedDevice.name, numbersText(relatedDevice))}`
  )

const differenceText = (names: readonly DeskTextKey[]) =>
  names.length === 0
    ? ''
    : deskText('differsFromUdi', { numbers: joined(', ', ...names.map((name) => deskText(name))) })

const statusText = ({ status, statusReason, device, receivedBy }: OrderLine) =>
  joined(
    ': ',
    ...[status.display, statusReason?.code?.display, statusReason?.text, receivedBy],
    device?.endReason?.display
  )

const moveTexts: Readonly<Record<OrderLine['status']['code'], DeskTextKey>> = {
  SUBMITTED: 'orderAgain',
  FULFILLED: 'fulfil',
  UNFULFILLED: 'returnLine',
  CANCELLED: 'cancelLine'
}

function LineMoves(part: LinePart) {
  const { line, order, reload } = part
  const { client, isProvider } = useSession()
  const { changeLine } = useChanges(part)
  if (order.status.code === 'DRAFT')
    return (
      <ActionButton
        label={deskText('remove')}
        isQuiet
        act={() => client.order.deleteOrderLine(line.id).then(reload)}
      >
        <p>{deskText('removeEffect', { line: lineTitle(line, part.expanded) })}</p>
      </ActionButton>
    )
  const delivers = line.action.code === 'DELIVER' || line.action.code === 'REPLACE'
  return (
    <span class="row">
      {line.allowedStatuses?.map((to) => {
        const hasReason = to === 'UNFULFILLED' || to === 'CANCELLED'
        const hasNumbers = to === 'FULFILLED' && delivers
        const details = (data: FormData) =>
          hasReason
            ? [reasonIn(data)]
            : [...(hasNumbers ? numbersIn(data, line) : []), ...(to === 'FULFILLED' ? reportIn(data) : [])]
        return (
          <ActionButton
            key={to}
            label={deskText(moveTexts[to])}
            isQuiet={hasReason}
            act={(data) => changeLine(line.id, moveTo(to), ...details(data))}
          >
            {to !== 'SUBMITTED' && <LineEffect {...part} to={to} />}
            {hasReason && <ReasonFields />}
            {hasNumbers && <NumberFields {...line} />}
            {to === 'FULFILLED' && <TextField label="performedAt" type="datetime-local" name="performedAt" />}
            {to === 'FULFILLED' && <TextField label="receivedBy" name="receivedBy" />}
          </ActionButton>
        )
      })}
      {isProvider && line.device && (
        <ActionButton
          label={deskText('numbers')}
          isQuiet
          act={(data) => changeLine(line.id, ...numbersIn(data, line))}
        >
          <NumberFields {...line} />
        </ActionButton>
      )}
      {isProvider && line.device && !line.device.endReason && (
        <ActionButton label={deskText('mistake')} isQuiet act={() => changeLine(line.id, mistake)}>
          <p>{deskText('mistakeEffect', { line: lineTitle(line, part.expanded) })}</p>
        </ActionButton>
      )}
    </span>
  )
}

/** What a move of a line does, where it cannot be taken back or closes the order. */
function LineEffect({ line, orderLines, expanded, to }: LinePart & { to: OrderLine['status']['code'] }) {
  const isOpen = ({ status }: OrderLine) => status.code === 'SUBMITTED' || status.code === 'UNFULFILLED'
  const isLast = to !== 'UNFULFILLED' && !orderLines.some((other) => other.id !== line.id && isOpen(other))
  const text = (
    { FULFILLED: 'lineFulfilEffect', CANCELLED: 'lineCancelEffect', UNFULFILLED: 'lineReturnEffect' } as const
  )[to as 'FULFILLED' | 'CANCELLED' | 'UNFULFILLED']
  return (
    <p>
      {deskText(text, { line: lineTitle(line, expanded) })} {isLast && deskText('lastLineEffect')}{' '}
      {to !== 'UNFULFILLED' && <strong>{partsText('irreversible')}</strong>}
    </p>
  )
}

const numberFields = ['serialNumber', 'udi', 'lotNumber', 'expiryDate'] as const

const MONTH_LENGTH = 'yyyy-mm'.length

/** Fields for the numbers of a device. */
const NumberFields = ({ device }: OrderLine) => (
  <>
    {numberFields.map((name) => (
      <TextField
        key={name}
        label={name}
        name={name}
        type={name !== 'expiryDate' ? 'text' : device?.expiryDate?.length === MONTH_LENGTH ? 'month' : 'date'}
        value={device?.[name]}
      />
    ))}
  </>
)

/** The operations that write the numbers that the user changed, unless they have changed since. */
const numbersIn = (data: FormData, { device }: OrderLine) =>
  numberFields
    .filter((name) => textOf(data, name) !== (device?.[name] ?? null))
    .flatMap((name) => {
      const path = `/device/${name}` as const
      const written = { op: 'add', path, value: textOf(data, name) } as const
      return device ? [{ op: 'test', path, value: device[name] } as const, written] : [written]
    })

/** The operation that reports a device as registered by mistake. */
const mistake = { op: 'add', path: '/device/endReason', value: 'ENTERED_IN_ERROR' } as const

/** The operations that report when a line was carried out and who received the delivery. */
function reportIn(data: FormData) {
  const performedAt = textOf(data, 'performedAt')
  const receivedBy = textOf(data, 'receivedBy')
  return [
    ...(performedAt
      ? [{ op: 'add', path: '/performedAt', value: new Date(performedAt).toISOString() } as const]
      : []),
    ...(receivedBy ? [{ op: 'add', path: '/receivedBy', value: receivedBy } as const] : [])
  ]
}

/** Agrees one time for several lines. */
function AgreeButton(part: OrderPart) {
  const { changeLines } = useChanges(part)
  // The others have a time, which stays unless the user checks them.
  const waiting = part.orderLines.filter(({ agreedFrom }) => !agreedFrom)
  const checked = waiting.length > 0 ? waiting : part.orderLines
  function agree(data: FormData) {
    const at = (time: string) => new Date(`${data.get('day')}T${data.get(time)}`).toISOString()
    return changeLines(data.getAll('line').map(String), (id) => {
      const line = part.orderLines.find((each) => each.id === id)
      return [
        { op: 'test', path: '/agreedFrom', value: line?.agreedFrom ?? null },
        { op: 'test', path: '/agreedTo', value: line?.agreedTo ?? null },
        { op: 'add', path: '/agreedFrom', value: at('from') },
        { op: 'add', path: '/agreedTo', value: at('to') }
      ]
    })
  }
  return (
    <ActionButton label={deskText('agree')} act={agree}>
      <fieldset>
        <legend>{deskText('lines')}</legend>
        {part.orderLines.map((line) => (
          <label key={line.id}>
            <input type="checkbox" name="line" value={line.id} defaultChecked={checked.includes(line)} />{' '}
            {joined(', ', lineTitle(line, part.expanded), agreedText(line))}
          </label>
        ))}
      </fieldset>
      <TextField label="day" type="date" name="day" value={part.order.latestDeliveryDate} required />
      <TextField label="from" type="time" name="from" required />
      <TextField label="to" type="time" name="to" required />
    </ActionButton>
  )
}
