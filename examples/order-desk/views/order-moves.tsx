import type { Order, PatchOf } from '../../../clients/typescript/src/index.js'
import { ActionButton } from '../../../pages/parts/actions.js'
import { CodeOptions } from '../code-options.js'
import { type DeskTextKey, deskText } from '../desk-texts.js'
import { DeskLink } from '../links.js'
import { OrderFields, orderContent } from '../order-fields.js'
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

/** Fields for the reason of a move. */
export function ReasonFields() {
  const { codes } = useSession()
  return (
    <>
      <label>
        {deskText('reason')}
        <select name="code">
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
  const { changeOrder } = useChanges(part)
  function correct(data: FormData) {
    const content = Object.entries(orderContent(data, part.order.receiver.patient))
    const patch = content.map(([name, value]) => ({ op: 'replace', path: `/${name}`, value }))
    return changeOrder(...(patch as PatchOf<Order>[]))
  }
  return (
    <ActionButton label={deskText('correct')} isQuiet act={correct}>
      <OrderFields {...part.order} />
    </ActionButton>
  )
}
