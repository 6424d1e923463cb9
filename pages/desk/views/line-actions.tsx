import type { FunctionComponent } from 'preact'
import type { Order, OrderLine, PatchOf } from '../../../clients/typescript/src/index.js'
import { ActionButton, textOf } from '../../parts/actions.js'
import { ReasonFields } from '../code-fields.js'
import { type DeskTextKey, deskText } from '../desk-texts.js'
import { type Expanded, joined, lineTitle } from '../resource-texts.js'
import { type Session, useSession } from '../session.js'
import { TextField } from '../text-field.js'
import { EndFields, endOperation } from './device-actions.js'
import { closedQuestionText, LineList, TransitionEffect } from './order-actions.js'
import {
  delivers,
  isOpen,
  numbersQuestion,
  type OrderPart,
  reasonIn,
  showConflict,
  transitionTo,
  useChanges
} from './order-part.js'

type SelectedPart = OrderPart & { selected: readonly OrderLine[] }

interface LineAction {
  label: DeskTextKey
  isDangerous?: boolean
  fits(line: OrderLine, session: Session): boolean | undefined
  patchOf(data: FormData, line: OrderLine, expanded: Expanded): readonly PatchOf<OrderLine>[]
  ask?(data: FormData, part: SelectedPart): string | undefined
  /** The first content of a dialog. */
  Fields?: FunctionComponent<SelectedPart>
}

const allows =
  (to: OrderLine['status']['code']) =>
  ({ allowedStatuses }: OrderLine) =>
    allowedStatuses?.includes(to)

const agree: LineAction = {
  label: 'agree',
  fits: ({ status }, { isProvider }) => isProvider && status.code === 'SUBMITTED',
  patchOf: timeIn,
  Fields: ({ selected, expanded, order }) => (
    <>
      <LineList lines={selected} expanded={expanded} />
      <div class="fields">
        <TextField label="day" type="date" name="day" value={order.latestDeliveryDate} required />
        <TextField label="from" type="time" name="agreedFrom" required />
        <TextField label="to" type="time" name="agreedTo" required />
      </div>
    </>
  )
}

const fulfil: LineAction = {
  label: 'fulfilled',
  fits: allows('FULFILLED'),
  patchOf: (data, line, expanded) => [
    transitionTo('FULFILLED'),
    ...(delivers(expanded)(line) ? numbersIn(data, line) : []),
    ...reportIn(data)
  ],
  ask: (data, { selected, expanded }) =>
    numbersQuestion(selected.filter(delivers(expanded)).filter((line) => !hasNumber(data, line)).length),
  Fields: (part) => (
    <>
      <LineEffect {...part} text="linesFulfilEffect" isFinal />
      <NumberFields {...part} lines={part.selected.filter(delivers(part.expanded))} />
      <div class="fields">
        <TextField label="performedAt" type="datetime-local" name="performedAt" />
        <TextField label="receivedBy" name="receivedBy" />
      </div>
    </>
  )
}

const correctNumbers: LineAction = {
  label: 'correctNumbers',
  fits: ({ device }, { isProvider }) => isProvider && !!device,
  patchOf: numbersIn,
  Fields: (part) => <NumberFields {...part} lines={part.selected} />
}

const endUse: LineAction = {
  label: 'endUse',
  isDangerous: true,
  fits: ({ device }) => !!device && !device.until,
  patchOf: (data) => [endOperation(data)],
  Fields: ({ selected }) => <EndFields lines={selected} />
}

/** A transition that needs a reason. */
const withReason = (
  to: 'UNFULFILLED' | 'CANCELLED',
  label: DeskTextKey,
  effect: DeskTextKey
): LineAction => ({
  label,
  isDangerous: true,
  fits: allows(to),
  patchOf: (data) => [transitionTo(to), reasonIn(data)],
  Fields: (part) => (
    <>
      <LineEffect {...part} text={effect} isFinal={to === 'CANCELLED'} />
      <ReasonFields />
    </>
  )
})

/** The actions of users for lines, the usual actions first. */
const lineActions: readonly LineAction[] = [
  agree,
  fulfil,
  { label: 'orderAgain', fits: allows('SUBMITTED'), patchOf: () => [transitionTo('SUBMITTED')] },
  correctNumbers,
  withReason('UNFULFILLED', 'returnLine', 'linesReturnEffect'),
  withReason('CANCELLED', 'cancelLine', 'linesCancelEffect'),
  endUse
]

/** The actions that the user can take for all of these lines. */
export const actionsOf = (session: Session, { status }: Order, lines: readonly OrderLine[]) =>
  lineActions.filter(({ fits }) => status.code !== 'DRAFT' && lines.every((line) => fits(line, session)))

/** Buttons for the actions that the user can take for all selected lines. */
export function LineActions({ onDone, ...part }: SelectedPart & { onDone(): void }) {
  const session = useSession()
  const { changeLines } = useChanges(part)
  const { selected, order, expanded } = part
  if (selected.length === 0) return null
  const actions = actionsOf(session, order, selected)
  if (actions.length === 0) return <span>{deskText('noCommonAction')}</span>
  return (
    <>
      {actions.map(({ label, isDangerous = false, patchOf, ask, Fields }) => (
        <ActionButton
          key={label}
          label={deskText(label)}
          isQuiet
          isDangerous={isDangerous}
          onLost={part.onConflict}
          act={(data) => {
            const changed = changeLines(deskText('saved'), selected, (line) => patchOf(data, line, expanded))
            return (Fields ? changed : changed.catch(showConflict(part))).then(onDone)
          }}
          ask={(data) => ask?.(data, part)}
        >
          {Fields && <Fields {...part} />}
        </ActionButton>
      ))}
    </>
  )
}

/** The effect of a transition of lines, and whether it closes the order. */
function LineEffect(part: SelectedPart & { text: DeskTextKey; isFinal: boolean }) {
  const { selected, order, orderLines, expanded, text, isFinal } = part
  const isLast = isFinal && !orderLines.some((line) => isOpen(line) && !selected.includes(line))
  const party = useSession().partyOf(order.buyer)?.name ?? ''
  return (
    <TransitionEffect text={deskText(text, { party })} lines={selected} expanded={expanded} isFinal={isFinal}>
      {isLast && joined(' ', deskText('lastLinesEffect'), closedQuestionText(order))}
    </TransitionEffect>
  )
}

const numberFields = ['serialNumber', 'udi', 'lotNumber', 'expiryDate'] as const

const MONTH_LENGTH = 'yyyy-mm'.length

/** The type of the field for a number: an expiry date may have no day. */
const fieldType = (name: string, { device }: OrderLine) =>
  name !== 'expiryDate' ? 'text' : device?.expiryDate?.length === MONTH_LENGTH ? 'month' : 'date'

const NumberFields = ({ lines, expanded, selected }: SelectedPart & { lines: readonly OrderLine[] }) => (
  <>
    {lines.map((line) => (
      <fieldset key={line.id}>
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
    ))}
  </>
)

const hasNumber = (data: FormData, { id }: OrderLine) =>
  (['serialNumber', 'udi', 'lotNumber'] as const).some((name) => textOf(data, `${name}-${id}`) !== null)

/** The operations that write the numbers that the user changed, unless they have changed since. */
function numbersIn(data: FormData, { id, device }: OrderLine) {
  return numberFields
    .filter((name) => textOf(data, `${name}-${id}`) !== (device?.[name] ?? null))
    .flatMap((name) => {
      const path = `/device/${name}` as const
      const written = { op: 'add', path, value: textOf(data, `${name}-${id}`) } as const
      return device ? [{ op: 'test', path, value: device[name] } as const, written] : [written]
    })
}

/** The operations that report when a line was carried out and who received the delivery. */
function reportIn(data: FormData) {
  const [time, receivedBy] = [textOf(data, 'performedAt'), textOf(data, 'receivedBy')]
  const add = (path: '/performedAt' | '/receivedBy', value: string) => ({ op: 'add', path, value }) as const
  return [
    ...(time ? [add('/performedAt', new Date(time).toISOString())] : []),
    ...(receivedBy ? [add('/receivedBy', receivedBy)] : [])
  ]
}

/** The operations that agree a time, unless another time was agreed meanwhile. */
function timeIn(data: FormData, line: OrderLine): PatchOf<OrderLine>[] {
  const at = (time: string) => new Date(`${data.get('day')}T${data.get(time)}`).toISOString()
  return (['agreedFrom', 'agreedTo'] as const).flatMap((name) => [
    { op: 'test', path: `/${name}`, value: line[name] ?? null },
    { op: 'add', path: `/${name}`, value: at(name) }
  ])
}
