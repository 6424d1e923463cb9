import type { Order, OrderLine } from '../../clients/typescript/src/index.js'
import { type DeskTextKey, deskText } from './desk-texts.js'
import { useSession } from './session.js'

type Tag = readonly [text: DeskTextKey, sign: string, colour: 'blue' | 'green' | 'amber' | 'red' | 'grey']

const orderTags: Readonly<Record<Order['status']['code'], Tag>> = {
  DRAFT: ['statusDraft', '✎', 'grey'],
  SUBMITTED: ['sent', '●', 'blue'],
  ACCEPTED: ['statusAccepted', '✓', 'green'],
  REJECTED: ['rejected', '✗', 'red'],
  FULFILLED: ['fulfilled', '✓', 'green'],
  CANCELLED: ['cancelled', '✗', 'red']
}
export const lineTags: Readonly<Record<OrderLine['status']['code'], Tag>> = {
  UNFULFILLED: ['returned', '↩', 'amber'],
  SUBMITTED: ['sent', '●', 'blue'],
  FULFILLED: ['fulfilled', '✓', 'green'],
  CANCELLED: ['cancelled', '✗', 'grey']
}
const attentionTags = {
  LATE: ['isLate', '!', 'red'],
  UNANSWERED: ['isUnanswered', '!', 'red'],
  RETURNED: ['returned', '↩', 'amber']
} as const satisfies Record<string, Tag>

const TagText = ({ tag: [text, sign, colour] }: { tag: Tag }) => (
  <span class={`tag ${colour}`}>
    <span aria-hidden="true">{sign}</span> {deskText(text)}
  </span>
)

/** The status of an order, whether it is urgent, and its attention. */
export function OrderTags({ order }: { order: Order }) {
  const { isProvider, side } = useSession()
  const isNew = isProvider && order.status.code === 'SUBMITTED'
  return (
    <div class="tags">
      <TagText tag={isNew ? ['statusNew', '●', 'blue'] : orderTags[order.status.code]} />
      {order.priority && <TagText tag={['urgent', '▲', 'red']} />}
      {order.attention?.map(
        (code) => code !== 'QUESTION' && <TagText key={code} tag={attentionTags[code]} />
      )}
      {order.awaiting && (
        <TagText tag={order.awaiting === side ? ['awaitsYou', '?', 'amber'] : ['awaitsThem', '?', 'grey']} />
      )}
    </div>
  )
}

/** The status of a line; none in a draft. */
export const LineTag = ({ line, isDraft }: { line: OrderLine; isDraft: boolean }) => (
  <TagText tag={isDraft ? ['statusNotSent', '✎', 'grey'] : lineTags[line.status.code]} />
)
