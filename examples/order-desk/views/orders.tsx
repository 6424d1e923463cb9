import { useEffect } from 'preact/hooks'
import type { Order, Page, Party } from '../../../clients/typescript/src/index.js'
import { Loaded } from '../../../pages/parts/loaded.js'
import { dateText } from '../../../pages/parts/texts.js'
import { type DeskTextKey, deskText } from '../desk-texts.js'
import { DeskLink } from '../links.js'
import { orderTitle } from '../resource-texts.js'
import { RowTable } from '../row-table.js'
import { SearchForm } from '../search-form.js'
import { useApi, useSession } from '../session.js'

/** Orders that are shown at once. */
const LIMIT = 200

const REFRESH_MS = 60_000

const running = { status: ['DRAFT', 'SUBMITTED', 'ACCEPTED'], sort: 'priority' } as const
const closed = { status: ['FULFILLED', 'REJECTED', 'CANCELLED'], sort: '-updated' } as const

const attends = (code: NonNullable<Order['attention']>[number]) => (order: Order) =>
  order.attention?.includes(code) ?? false
const isIn = (code: Order['status']['code']) => (order: Order) => order.status.code === code

/** The groups of orders, first those that wait for the side. */
const groupsOf = (
  side: Order['awaiting']
): readonly [title: DeskTextKey, has: (order: Order) => boolean][] => [
  ['questions', ({ awaiting }) => awaiting === side],
  ['returned', attends('RETURNED')],
  ['late', attends('LATE')],
  ['unanswered', attends('UNANSWERED')],
  ['drafts', isIn('DRAFT')],
  ['newOrders', isIn('SUBMITTED')],
  ['accepted', isIn('ACCEPTED')],
  ['closed', () => true]
]

/** The orders of the user's organization, by what they need. */
export function OrdersView({ query }: { query: URLSearchParams }) {
  const { isProvider } = useSession()
  const q = query.get('q') ?? ''
  const isClosed = query.has('closed')
  const call = useApi(
    ({ client }, signal) => {
      const wanted = { ...(isClosed ? closed : running), ...(q && { q }), limit: LIMIT }
      return client.order.listOrder({ ...wanted, expand: ['parties'] }, { signal }).first()
    },
    [q, isClosed]
  )
  useEffect(() => {
    const timer = setInterval(call.reload, REFRESH_MS)
    return () => clearInterval(timer)
  }, [])
  const groups = groupsOf(isProvider ? 'SELLER' : 'BUYER')

  return (
    <>
      <h2>{deskText('orders')}</h2>
      <SearchForm label="searchOrders" to={[]} query={query} />
      <p class="row">
        {!isProvider && (
          <DeskLink to={['patients']} role="button">
            {deskText('newOrder')}
          </DeskLink>
        )}
        <DeskLink to={[]} query={isClosed ? {} : { closed: '' }}>
          {deskText(isClosed ? 'showRunning' : 'showClosed')}
        </DeskLink>
      </p>
      <Loaded call={call}>
        {(page) => (
          <>
            {page.entries.length === 0 && <p>{deskText('noOrders')}</p>}
            {groups.map(([title], at) => {
              // An order is in the first group that has it.
              const entries = page.entries.filter((order) => groups.findIndex(([, has]) => has(order)) === at)
              return (
                entries.length > 0 && (
                  <div key={title}>
                    <h3>{`${deskText(title)} ${entries.length}`}</h3>
                    <OrderTable label={title} page={{ ...page, entries }} />
                  </div>
                )
              )
            })}
            {page.next !== undefined && <p>{deskText('moreOrders', { count: LIMIT })}</p>}
          </>
        )}
      </Loaded>
    </>
  )
}

/** Orders with their parties, each with a link to its view. */
export function OrderTable({ label, page }: { label: DeskTextKey; page: Page<Order> }) {
  const { isProvider } = useSession()
  const rows = page.entries.map((order) => [
    <DeskLink key={order.id} to={['order', order.id]}>
      {orderTitle(order)}
    </DeskLink>,
    order.receiver.name,
    (page.expanded[isProvider ? order.buyer : order.seller] as Party | undefined)?.name,
    <OrderMarks key={order.id} order={order} />,
    order.latestDeliveryDate && dateText(order.latestDeliveryDate)
  ])
  const heads = ['order', 'patient', isProvider ? 'buyer' : 'seller', 'status', 'wishedBy'] as const
  return <RowTable label={label} heads={heads} rows={rows} none="noOrders" />
}

/** The status of an order, whether it is urgent, and what it waits for. */
export function OrderMarks({ order }: { order: Order }) {
  const { codes } = useSession()
  return (
    <>
      {order.status.display} {order.priority && <mark>{deskText('urgent')}</mark>}{' '}
      {order.attention?.map((code) => (
        <>
          <mark key={code}>{codes['order-attention'].get(code)}</mark>{' '}
        </>
      ))}
    </>
  )
}
