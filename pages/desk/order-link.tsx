import type { Order } from '../../clients/typescript/src/index.js'
import { DeskLink } from './links.js'
import { orderName } from './resource-texts.js'

/** The name and the number of an order. The number stays in one line. */
export const OrderTitle = ({ order }: { order: Order }) => (
  <>
    {orderName(order)} · <span class="number">{order.number}</span>
  </>
)

export const OrderLink = ({ order }: { order: Order }) => (
  <DeskLink to={['order', order.id]}>
    <OrderTitle order={order} />
  </DeskLink>
)
