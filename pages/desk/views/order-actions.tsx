import type { ComponentChildren } from 'preact'
import type { Order, OrderLine } from '../../../clients/typescript/src/index.js'
import { ActionButton } from '../../parts/actions.js'
import { Menu } from '../../parts/menu.js'
import { partsText } from '../../parts/parts-texts.js'
import { ReasonFields } from '../code-fields.js'
import { type DeskTextKey, deskText } from '../desk-texts.js'
import { DeskLink } from '../links.js'
import { contactQuestion, correctionOf, lacksContact, OrderFields } from '../order-fields.js'
import { lineTitle } from '../resource-texts.js'
import { useSession } from '../session.js'
import {
  delivers,
  isDeliverable,
  isOpen,
  numbersQuestion,
  type OrderPart,
  reasonIn,
  showConflict,
  transitionTo,
  useChanges
} from './order-part.js'

type Status = Order['status']['code']

/** The texts of a transition to a status of an order. */
interface Transition {
  /** The button of the transition. */
  label: DeskTextKey
  /** The text of the event, also in the history of the order. */
  done: DeskTextKey
  /** The effect of the transition on the lines if it ends the order. */
  effect?: DeskTextKey
  hasReason?: boolean
}

export const transitionTexts: Readonly<Record<Status, Transition>> = {
  DRAFT: { label: 'saveDraft', done: 'orderCreated' },
  SUBMITTED: { label: 'sendOrder', done: 'orderSent' },
  ACCEPTED: { label: 'accept', done: 'orderAccepted' },
  REJECTED: { label: 'reject', done: 'wasRejected', effect: 'rejectEffect', hasReason: true },
  FULFILLED: { label: 'fulfilAll', done: 'orderDone', effect: 'fulfilEffect' },
  CANCELLED: { label: 'cancelOrder', done: 'wasCancelled', effect: 'cancelEffect', hasReason: true }
}
const isFinal = (to: Status) => transitionTexts[to].effect !== undefined

/**
 * The actions of the user for an order. Actions that end the order are in a menu, separate from the
 * usual next step.
 */
export function OrderActions(part: OrderPart) {
  const { order, orderLines } = part
  const { isProvider } = useSession()
  const isDraft = order.status.code === 'DRAFT'
  const isRunning = isDraft || order.status.code === 'SUBMITTED' || order.status.code === 'ACCEPTED'
  const moves = order.allowedStatuses ?? []
  const final = moves.filter(isFinal)
  return (
    <>
      {moves
        .filter((to) => !isFinal(to))
        .map((to) => (
          <MoveButton key={to} {...part} to={to} />
        ))}
      {!isProvider && isRunning && <CorrectButton {...part} />}
      {!isDraft && orderLines.some(isDeliverable) && (
        <DeskLink to={['delivery-note', order.id]} class="button quiet">
          {deskText('deliveryNote')}
        </DeskLink>
      )}
      {!isProvider && !isRunning && (
        <DeskLink to={['new', order.receiver.patient]} query={{ again: order.id }} class="button quiet">
          {deskText('orderAgain')}
        </DeskLink>
      )}
      {final.length > 0 && (
        <Menu label={deskText('more')}>
          {final.map((to) => (
            <MoveButton key={to} {...part} to={to} />
          ))}
        </Menu>
      )}
    </>
  )
}

function MoveButton(part: OrderPart & { to: Status }) {
  const { to, order, orderLines, expanded } = part
  const { changeOrder } = useChanges(part)
  const { label, done, effect, hasReason = false } = transitionTexts[to]
  const change = (data: FormData) =>
    changeOrder(deskText(done), transitionTo(to), ...(hasReason ? [reasonIn(data)] : []))
  const act = effect ? change : (data: FormData) => change(data).catch(showConflict(part))
  const submitted = orderLines.filter(({ status }) => status.code === 'SUBMITTED')
  const isDone = to === 'FULFILLED'
  const isDiscarded = to === 'CANCELLED' && order.status.code === 'DRAFT'
  return (
    <ActionButton
      label={deskText(label)}
      isQuiet={isDone}
      isDangerous={hasReason}
      onLost={part.onConflict}
      act={act}
      ask={() => numbersQuestion(isDone ? submitted.filter(delivers(expanded)).length : 0)}
    >
      {effect && (
        <TransitionEffect
          text={deskText(isDiscarded ? 'discardEffect' : effect)}
          lines={isDone ? submitted : orderLines.filter(isOpen)}
          expanded={expanded}
          isFinal
        >
          {closedQuestionText(order)}
        </TransitionEffect>
      )}
      {to === 'SUBMITTED' && lacksContact(order.receiver) && <p>{deskText('contactMissing')}</p>}
      {hasReason && <ReasonFields />}
    </ActionButton>
  )
}

/** Says that closing an order closes its open question; empty without a question. */
export const closedQuestionText = ({ awaiting }: Order): string =>
  awaiting ? deskText('questionEffect') : ''

interface EffectProps extends Pick<OrderPart, 'expanded'> {
  text: string
  lines: readonly OrderLine[]
  /** Whether the transition is irreversible. */
  isFinal: boolean
  children?: ComponentChildren
}

export const TransitionEffect = ({ text, lines, expanded, isFinal, children }: EffectProps) => (
  <>
    <p>{text}</p>
    <LineList lines={lines} expanded={expanded} />
    <p>
      {children} {isFinal && <strong>{partsText('irreversible')}</strong>}
    </p>
  </>
)

export const LineList = ({ lines, expanded }: Pick<EffectProps, 'lines' | 'expanded'>) => (
  <ul class="long">
    {lines.map((line) => (
      <li key={line.id}>{lineTitle(line, expanded)}</li>
    ))}
  </ul>
)

/** Changes the receiver, the wishes and the urgency. */
function CorrectButton(part: OrderPart) {
  const { correctOrder } = useChanges(part)
  const correct = async (data: FormData) => {
    const patch = correctionOf(part.order, data)
    if (patch.length > 0) await correctOrder(deskText('saved'), patch)
  }
  return (
    <ActionButton
      label={deskText('correct')}
      isQuiet
      onLost={part.onConflict}
      act={correct}
      ask={lacksContact(part.order.receiver) ? undefined : contactQuestion}
      draft={`correction ${part.order.id}`}
    >
      <OrderFields {...part.order} />
    </ActionButton>
  )
}
