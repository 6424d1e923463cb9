import type { ComponentChildren } from 'preact'
import type { Order, TraceLine } from '../../../clients/typescript/src/index.js'
import { dateText, timeText } from '../../parts/texts.js'
import { type DeskTextKey, deskText } from '../desk-texts.js'
import { joined, organizationText } from '../resource-texts.js'
import { useSession } from '../session.js'
import type { OrderPart } from './order-part.js'

/** The attention of the order, or the reason of its end. */
export function OrderBanner({ order, orderLines, isUnsent }: OrderPart & { isUnsent: boolean }) {
  const { isProvider, side, partner, isOwn, partyOf } = useSession()
  const other = partyOf(order[partner])?.name ?? ''
  const { code } = order.status
  const returned = orderLines.filter(({ status }) => status.code === 'UNFULFILLED').length
  if (code === 'DRAFT')
    return isUnsent ? (
      <p class="bad" role="alert">
        ✗ {deskText('unsent')}
      </p>
    ) : (
      <Banner colour="grey">{deskText('isDraft')}</Banner>
    )
  if (code === 'REJECTED' || code === 'CANCELLED')
    return (
      <Banner colour="red">
        <b>{deskText(code === 'REJECTED' ? 'wasRejected' : 'wasCancelled')}</b>{' '}
        {joined(' · ', order.statusReason?.code?.display, order.statusReason?.text)}
      </Banner>
    )
  const question = order.notes.findLast((note) => !isOwn(note.authorOrganization))
  return (
    <>
      {order.awaiting === side && question && (
        <Banner
          colour="amber"
          action={
            <button
              type="button"
              class="quiet"
              onClick={() => document.querySelector<HTMLElement>('textarea[name=note]')?.focus()}
            >
              {deskText('answer')}
            </button>
          }
        >
          {deskText('theyAsk', { party: organizationText(question.authorOrganization) || other })}{' '}
          <b>{deskText('quoted', { text: shortened(question.note) })}</b>{' '}
          <small>{timeText(question.timestamp)}</small>
        </Banner>
      )}
      {order.awaiting && order.awaiting !== side && (
        <Banner colour="blue">{deskText('awaitsParty', { party: other })}</Banner>
      )}
      {!isProvider && returned > 0 && (
        <Banner colour="amber">
          {deskText(returned === 1 ? 'lineReturned' : 'linesReturned', { count: returned })}
        </Banner>
      )}
    </>
  )
}

const MAX_QUESTION = 240
const shortened = (text: string) => (text.length > MAX_QUESTION ? `${text.slice(0, MAX_QUESTION)} …` : text)

const Banner = (props: { colour: string; action?: ComponentChildren; children: ComponentChildren }) => (
  <div class={`banner ${props.colour}`} role="status">
    <p>{props.children}</p>
    {props.action}
  </div>
)

/** The progress of an open or fulfilled order. */
export function OrderSteps({ order, orderLines, traceLines }: OrderPart) {
  const { code } = order.status
  if (code === 'DRAFT' || code === 'REJECTED' || code === 'CANCELLED') return null
  const lines = orderLines.filter(({ status }) => status.code !== 'CANCELLED')
  const agreed = lines.filter(({ agreedFrom }) => agreedFrom).length
  const done = lines.filter(({ status }) => status.code === 'FULFILLED').length
  const timeOf = (wanted: Order['status']['code']) => {
    const isWanted = ({ orderLine, statusChange }: TraceLine) =>
      !orderLine && statusChange?.newStatus.code === wanted
    return traceLines.filter(isWanted).map(({ timestamp }) => timeText(timestamp))[0]
  }
  const countText = (count: number) =>
    deskText(lines.length === 1 ? 'lineOf' : 'linesOf', { count, total: lines.length })
  const day = order.latestDeliveryDate
  const wish = day && deskText('wishedUntil', { day: dateText(day) })
  const isDone = code === 'FULFILLED'
  const steps: readonly [DeskTextKey, boolean, string | null | undefined][] = [
    ['sent', true, timeOf('SUBMITTED')],
    ['statusAccepted', isDone || code === 'ACCEPTED', timeOf('ACCEPTED')],
    ['stepAgreed', isDone || (lines.length > 0 && agreed === lines.length), countText(agreed)],
    ['fulfilled', isDone, isDone ? timeOf('FULFILLED') : joined(', ', done > 0 && countText(done), wish)]
  ]
  return (
    <ol class="steps">
      {steps.map(([key, isReached, detail]) => (
        <li key={key} class={isReached ? 'done' : undefined}>
          <b>
            {isReached && '✓ '}
            {deskText(key)}
          </b>
          <span>{detail}</span>
        </li>
      ))}
    </ol>
  )
}
