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
  isOpen,
  moveTo,
  numbersQuestion,
  type OrderPart,
  reasonIn,
  throwUnlessConflict,
  useChanges
} from './order-part.js'

type Status = Order['status']['code']

const moveTexts: Readonly<Record<Status, DeskTextKey>> = {
  DRAFT: 'drafts',
  SUBMITTED: 'sendOrder',
  ACCEPTED: 'accept',
  REJECTED: 'reject',
  FULFILLED: 'fulfilAll',
  CANCELLED: 'cancelOrder'
}
const isFinal = (to: Status) => to === 'REJECTED' || to === 'CANCELLED' || to === 'FULFILLED'

/** What the user can do with an order. What ends it is in a menu, away from the usual next step. */
export function OrderMoves(part: OrderPart) {
  const { order } = part
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
      {!isDraft && (
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
  const { to, orderLines } = part
  const { changeOrder } = useChanges(part)
  const hasReason = to === 'REJECTED' || to === 'CANCELLED'
  const change = (data: FormData) =>
    changeOrder(deskText(doneTexts[to]), moveTo(to), ...(hasReason ? [reasonIn(data)] : []))
  // The view shows a conflict, because this button is gone then. A dialog stays with what is typed.
  const act = isFinal(to) ? change : (data: FormData) => change(data).catch(throwUnlessConflict)
  const unnumbered = orderLines.filter(
    (line) => line.status.code === 'SUBMITTED' && delivers(line) && to === 'FULFILLED'
  )
  const question = numbersQuestion(unnumbered.length)
  return (
    <ActionButton
      label={deskText(moveTexts[to])}
      isQuiet={to === 'FULFILLED'}
      isDangerous={hasReason}
      act={act}
      ask={() => question}
    >
      {isFinal(to) && <OrderEffect {...part} />}
      {to === 'SUBMITTED' && lacksContact(part.order.receiver) && <p>{deskText('contactMissing')}</p>}
      {hasReason && <ReasonFields />}
    </ActionButton>
  )
}

/** What happened, by the status that an order has now; also in its history. */
export const doneTexts: Readonly<Record<Status, DeskTextKey>> = {
  DRAFT: 'orderCreated',
  SUBMITTED: 'orderSent',
  ACCEPTED: 'orderAccepted',
  REJECTED: 'wasRejected',
  FULFILLED: 'orderDone',
  CANCELLED: 'wasCancelled'
}

/** What an irreversible move of an order does, with the lines that it closes. */
function OrderEffect({ order, orderLines, expanded, to }: OrderPart & { to: Status }) {
  const closed = orderLines.filter((line) =>
    to === 'FULFILLED' ? line.status.code === 'SUBMITTED' : isOpen(line)
  )
  const text = {
    FULFILLED: 'fulfilEffect',
    REJECTED: 'rejectEffect',
    CANCELLED: order.status.code === 'DRAFT' ? 'discardEffect' : 'cancelEffect'
  } as const
  return <Effect text={deskText(text[to as keyof typeof text])} lines={closed} expanded={expanded} isFinal />
}

interface EffectProps extends Pick<OrderPart, 'expanded'> {
  text: string
  lines: readonly OrderLine[]
  /** Whether it cannot be undone. */
  isFinal: boolean
  children?: ComponentChildren
}

/** What a move does to lines. */
export const Effect = ({ text, lines, expanded, isFinal, children }: EffectProps) => (
  <>
    <p>{text}</p>
    <LineList lines={lines} expanded={expanded} />
    <p>
      {children} {isFinal && <strong>{partsText('irreversible')}</strong>}
    </p>
  </>
)

/** What is to be done, line by line. */
export const LineList = ({
  lines,
  expanded
}: Pick<OrderPart, 'expanded'> & { lines: readonly OrderLine[] }) => (
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
      act={correct}
      ask={lacksContact(part.order.receiver) ? undefined : contactQuestion}
      draft={`correction ${part.order.id}`}
    >
      <OrderFields {...part.order} />
    </ActionButton>
  )
}
