import type { Order } from '../../../clients/typescript/src/index.js'
import { ActionButton } from '../../parts/actions.js'
import { partsText } from '../../parts/parts-texts.js'
import { CodeOptions } from '../code-options.js'
import { type DeskTextKey, deskText } from '../desk-texts.js'
import { DeskLink } from '../links.js'
import { correctionOf, OrderFields } from '../order-fields.js'
import { lineTitle } from '../resource-texts.js'
import { useSession } from '../session.js'
import { TextField } from '../text-field.js'
import { moveTo, type OrderPart, reasonIn, useChanges } from './order-part.js'

const moveTexts: Readonly<Record<Order['status']['code'], DeskTextKey>> = {
  DRAFT: 'drafts',
  SUBMITTED: 'sendOrder',
  ACCEPTED: 'accept',
  REJECTED: 'reject',
  FULFILLED: 'fulfilAll',
  CANCELLED: 'cancelOrder'
}

/** The moves of an order that the user can make now, and its corrections. */
export function OrderMoves(part: OrderPart) {
  const { order } = part
  const { isProvider } = useSession()
  const { changeOrder } = useChanges(part)
  const isDraft = order.status.code === 'DRAFT'
  const isRunning = isDraft || order.status.code === 'SUBMITTED' || order.status.code === 'ACCEPTED'
  return (
    <div class="row">
      {order.allowedStatuses?.map((to) => {
        const hasReason = to === 'REJECTED' || to === 'CANCELLED'
        const isQuiet = hasReason || to === 'FULFILLED'
        const act = (data: FormData) => changeOrder(moveTo(to), ...(hasReason ? [reasonIn(data)] : []))
        return (
          <ActionButton key={to} label={deskText(moveTexts[to])} isQuiet={isQuiet} act={act}>
            {isQuiet && <Effect {...part} to={to} />}
            {hasReason && <ReasonFields />}
          </ActionButton>
        )
      })}
      {!isProvider && isRunning && <CorrectButton {...part} />}
      {!isProvider && isDraft && (
        <DeskLink to={['new', order.receiver.patient]} query={{ order: order.id }}>
          {deskText('addLines')}
        </DeskLink>
      )}
      {!isDraft && <DeskLink to={['delivery-note', order.id]}>{deskText('deliveryNote')}</DeskLink>}
    </div>
  )
}

/** What an irreversible move of an order does, with the lines that it closes. */
function Effect({ order, orderLines, expanded, to }: OrderPart & { to: Order['status']['code'] }) {
  const closed = orderLines.filter(({ status }) =>
    to === 'FULFILLED'
      ? status.code === 'SUBMITTED'
      : status.code === 'SUBMITTED' || status.code === 'UNFULFILLED'
  )
  const text = {
    FULFILLED: 'fulfilEffect',
    REJECTED: 'rejectEffect',
    CANCELLED: order.status.code === 'DRAFT' ? 'discardEffect' : 'cancelEffect'
  } as const
  return (
    <>
      <p>{deskText(text[to as keyof typeof text])}</p>
      <ul>
        {closed.map((line) => (
          <li key={line.id}>{lineTitle(line, expanded)}</li>
        ))}
      </ul>
      <p>
        <strong>{partsText('irreversible')}</strong>
      </p>
    </>
  )
}

/** Fields for the reason of a move. */
export function ReasonFields() {
  const { codes } = useSession()
  return (
    <>
      <label>
        {`${deskText('reason')} (${partsText('required')})`}
        <select name="code" required>
          <option value="">–</option>
          <CodeOptions codes={codes['order-status-reason']} />
        </select>
      </label>
      <TextField label="reasonText" name="text" rows={3} />
    </>
  )
}

/** Changes the receiver, the wishes and the urgency. */
function CorrectButton(part: OrderPart) {
  const { correctOrder } = useChanges(part)
  const correct = async (data: FormData) => {
    const patch = correctionOf(part.order, data)
    if (patch.length > 0) await correctOrder(patch)
  }
  return (
    <ActionButton label={deskText('correct')} isQuiet act={correct}>
      <OrderFields {...part.order} />
    </ActionButton>
  )
}
