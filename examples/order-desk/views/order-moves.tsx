import type { Order } from '../../../clients/typescript/src/index.js'
import { ActionButton } from '../../../pages/parts/actions.js'
import { Field } from '../../../pages/parts/field.js'
import { Choice, useCodes } from '../codes.js'
import { type DeskTextKey, deskText } from '../desk-texts.js'
import { DeskLink } from '../links.js'
import { OrderFields, orderContent } from '../order-fields.js'
import { useSession } from '../session.js'
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
    <div class="row moves">
      {order.allowedStatuses?.map((to) => {
        const label = deskText(moveTexts[to])
        const needsReason = to === 'REJECTED' || to === 'CANCELLED'
        return needsReason ? (
          <ActionButton
            key={to}
            label={label}
            isQuiet
            act={(data) => changeOrder(moveTo(to), reasonIn(data))}
          >
            <ReasonFields />
          </ActionButton>
        ) : (
          <ActionButton
            key={to}
            label={label}
            isQuiet={to === 'FULFILLED'}
            act={() => changeOrder(moveTo(to))}
          />
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
  const reasons = useCodes('order-status-reason')
  return (
    <>
      <Field label={deskText('reason')}>
        {({ id }) => <Choice id={id} name="code" options={new Map([['', '–'], ...reasons])} />}
      </Field>
      <Field label={deskText('reasonText')}>
        {(field) => <textarea {...field} name="text" rows={3} maxLength={500} />}
      </Field>
    </>
  )
}

/** Changes the receiver, the wishes and the urgency. */
function CorrectButton(part: OrderPart) {
  const { changeOrder } = useChanges(part)
  function correct(data: FormData) {
    const content = orderContent(data, part.order.receiver.patient)
    return changeOrder(
      { op: 'replace', path: '/receiver', value: content.receiver },
      { op: 'replace', path: '/priority', value: content.priority },
      { op: 'replace', path: '/earliestDeliveryDate', value: content.earliestDeliveryDate },
      { op: 'replace', path: '/latestDeliveryDate', value: content.latestDeliveryDate }
    )
  }
  return (
    <ActionButton label={deskText('correct')} isQuiet act={correct}>
      <OrderFields {...part.order} />
    </ActionButton>
  )
}
