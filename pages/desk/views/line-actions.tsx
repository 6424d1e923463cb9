import type { Order, OrderLine } from '../../../clients/typescript/src/index.js'
import { ActionButton, textOf } from '../../parts/actions.js'
import { ReasonFields } from '../code-fields.js'
import { type DeskTextKey, deskText } from '../desk-texts.js'
import { lineTitle } from '../resource-texts.js'
import { type Session, useSession } from '../session.js'
import { TextField } from '../text-field.js'
import { EndButton } from './device-actions.js'
import { Effect, LineList } from './order-moves.js'
import {
  delivers,
  isOpen,
  moveTo,
  numbersQuestion,
  type OrderPart,
  reasonIn,
  useChanges
} from './order-part.js'

type LineAction = OrderLine['status']['code'] | 'AGREE' | 'NUMBERS' | 'END'

/** What the user can do with a line, first what is usual. */
export function actionsOf({ isProvider }: Session, order: Order, line: OrderLine): LineAction[] {
  if (order.status.code === 'DRAFT') return []
  const moves = line.allowedStatuses ?? []
  return [
    ...(isProvider && line.status.code === 'SUBMITTED' ? (['AGREE'] as const) : []),
    ...(['FULFILLED', 'SUBMITTED'] as const).filter((to) => moves.includes(to)),
    ...(isProvider && line.device ? (['NUMBERS'] as const) : []),
    ...(['UNFULFILLED', 'CANCELLED'] as const).filter((to) => moves.includes(to)),
    ...(line.device && !line.device.until ? (['END'] as const) : [])
  ]
}

type ActionPart = OrderPart & { selected: readonly OrderLine[]; onDone(): void }

/** Buttons for what the user can do with all selected lines. */
export function LineActions(part: ActionPart) {
  const session = useSession()
  const [first, ...others] = part.selected
  if (!first) return null
  const common = actionsOf(session, part.order, first).filter((action) =>
    others.every((line) => actionsOf(session, part.order, line).includes(action))
  )
  return (
    <>
      {common.map((action) => {
        if (action === 'AGREE') return <AgreeButton key={action} {...part} />
        if (action === 'NUMBERS') return <NumbersButton key={action} {...part} />
        if (action === 'END') return <EndLinesButton key={action} {...part} />
        return <MoveButton key={action} {...part} to={action} />
      })}
    </>
  )
}

const moveTexts: Readonly<Record<OrderLine['status']['code'], DeskTextKey>> = {
  SUBMITTED: 'orderAgain',
  FULFILLED: 'fulfilled',
  UNFULFILLED: 'returnLine',
  CANCELLED: 'cancelLine'
}

function MoveButton(part: ActionPart & { to: OrderLine['status']['code'] }) {
  const { selected, to, onDone } = part
  const { changeLines } = useChanges(part)
  const hasReason = to === 'UNFULFILLED' || to === 'CANCELLED'
  const numbered = to === 'FULFILLED' ? selected.filter(delivers) : []
  const act = (data: FormData) =>
    changeLines(deskText('saved'), selected, (line) => [
      moveTo(to),
      ...(hasReason ? [reasonIn(data)] : []),
      ...(numbered.includes(line) ? numbersIn(data, line) : []),
      ...(to === 'FULFILLED' ? reportIn(data) : [])
    ]).then(onDone)
  const ask = (data: FormData) => numbersQuestion(numbered.filter((line) => !hasNumber(data, line)).length)
  return (
    <ActionButton
      label={deskText(moveTexts[to])}
      isQuiet={!hasReason}
      isDangerous={hasReason}
      act={act}
      ask={ask}
    >
      {to !== 'SUBMITTED' && <LineEffect {...part} to={to} />}
      {hasReason && <ReasonFields />}
      {numbered.map((line) => (
        <NumberFields key={line.id} {...part} line={line} />
      ))}
      {to === 'FULFILLED' && (
        <div class="fields">
          <TextField label="performedAt" type="datetime-local" name="performedAt" />
          <TextField label="receivedBy" name="receivedBy" />
        </div>
      )}
    </ActionButton>
  )
}

const effects = {
  FULFILLED: 'linesFulfilEffect',
  CANCELLED: 'linesCancelEffect',
  UNFULFILLED: 'linesReturnEffect'
} as const

/** What a move of lines does, and whether it closes the order. */
function LineEffect(part: ActionPart & { to: keyof typeof effects }) {
  const { selected, order, orderLines, expanded, to } = part
  const isFinal = to !== 'UNFULFILLED'
  const isLast = isFinal && !orderLines.some((line) => isOpen(line) && !selected.includes(line))
  const party = useSession().partyOf(order.buyer)?.name ?? ''
  return (
    <Effect text={deskText(effects[to], { party })} lines={selected} expanded={expanded} isFinal={isFinal}>
      {isLast && deskText('lastLinesEffect')}
    </Effect>
  )
}

const numberFields = ['serialNumber', 'udi', 'lotNumber', 'expiryDate'] as const

const MONTH_LENGTH = 'yyyy-mm'.length

/** The type of the field for a number: an expiry date may have no day. */
const fieldType = (name: string, { device }: OrderLine) =>
  name !== 'expiryDate' ? 'text' : device?.expiryDate?.length === MONTH_LENGTH ? 'month' : 'date'

/** Fields for the numbers of a device. */
const NumberFields = ({ line, expanded, selected }: ActionPart & { line: OrderLine }) => (
  <fieldset>
    <legend class={selected.length > 1 ? undefined : 'hidden'}>{lineTitle(line, expanded)}</legend>
    <div class="fields">
      {numberFields.map((name) => (
        <TextField
          key={name}
          label={name}
          name={`${name}-${line.id}`}
          type={fieldType(name, line)}
          value={line.device?.[name]}
        />
      ))}
    </div>
  </fieldset>
)

const hasNumber = (data: FormData, { id }: OrderLine) =>
  (['serialNumber', 'udi', 'lotNumber'] as const).some((name) => textOf(data, `${name}-${id}`) !== null)

/** The operations that write the numbers that the user changed, unless they have changed since. */
const numbersIn = (data: FormData, { id, device }: OrderLine) =>
  numberFields
    .filter((name) => textOf(data, `${name}-${id}`) !== (device?.[name] ?? null))
    .flatMap((name) => {
      const path = `/device/${name}` as const
      const written = { op: 'add', path, value: textOf(data, `${name}-${id}`) } as const
      return device ? [{ op: 'test', path, value: device[name] } as const, written] : [written]
    })

/** The operations that report when a line was carried out and who received the delivery. */
function reportIn(data: FormData) {
  const [time, receivedBy] = [textOf(data, 'performedAt'), textOf(data, 'receivedBy')]
  const add = (path: '/performedAt' | '/receivedBy', value: string) => ({ op: 'add', path, value }) as const
  return [
    ...(time ? [add('/performedAt', new Date(time).toISOString())] : []),
    ...(receivedBy ? [add('/receivedBy', receivedBy)] : [])
  ]
}

/** Corrects the numbers of devices that were delivered. */
function NumbersButton(part: ActionPart) {
  const { changeLines } = useChanges(part)
  const act = (data: FormData) =>
    changeLines(deskText('saved'), part.selected, (line) => numbersIn(data, line)).then(part.onDone)
  return (
    <ActionButton label={deskText('numbers')} isQuiet act={act}>
      {part.selected.map((line) => (
        <NumberFields key={line.id} {...part} line={line} />
      ))}
    </ActionButton>
  )
}

function EndLinesButton({ selected, ...part }: ActionPart) {
  const { changeLines } = useChanges(part)
  const end: Parameters<typeof EndButton>[0]['act'] = (operation) =>
    changeLines(deskText('saved'), selected, () => [operation]).then(part.onDone)
  return <EndButton lines={selected} act={end} />
}

/** Agrees one time for the selected lines. */
function AgreeButton(part: ActionPart) {
  const { selected, order, expanded, onDone } = part
  const { changeLines } = useChanges(part)
  function agree(data: FormData) {
    const at = (time: string) => new Date(`${data.get('day')}T${data.get(time)}`).toISOString()
    return changeLines(deskText('saved'), selected, ({ agreedFrom = null, agreedTo = null }) => [
      { op: 'test', path: '/agreedFrom', value: agreedFrom },
      { op: 'test', path: '/agreedTo', value: agreedTo },
      { op: 'add', path: '/agreedFrom', value: at('agreedFrom') },
      { op: 'add', path: '/agreedTo', value: at('agreedTo') }
    ]).then(onDone)
  }
  return (
    <ActionButton label={deskText('agree')} isQuiet act={agree}>
      <LineList lines={selected} expanded={expanded} />
      <div class="fields">
        <TextField label="day" type="date" name="day" value={order.latestDeliveryDate} required />
        <TextField label="from" type="time" name="agreedFrom" required />
        <TextField label="to" type="time" name="agreedTo" required />
      </div>
    </ActionButton>
  )
}
