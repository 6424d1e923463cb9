import { useEffect } from 'preact/hooks'
import type { Order, Page, Party } from '../../../clients/typescript/src/index.js'
import { Loaded } from '../../../pages/parts/loaded.js'
import { DataTable } from '../../../pages/parts/table.js'
import { dateText } from '../../../pages/parts/texts.js'
import { useCodes } from '../codes.js'
import { type DeskTextKey, deskText, deskTextsOf } from '../desk-texts.js'
import { DeskLink, replaceQuery } from '../links.js'
import { orderTitle } from '../resource-texts.js'
import { SearchForm } from '../search-form.js'
import { useApi, useSession } from '../session.js'

/** Orders that are shown at once. */
const LIMIT = 200

const REFRESH_MS = 60_000

const running = { status: ['DRAFT', 'SUBMITTED', 'ACCEPTED'], sort: 'priority' } as const
const closed = { status: ['FULFILLED', 'REJECTED', 'CANCELLED'], sort: '-updated' } as const

type Group = readonly [title: DeskTextKey, has: (order: Order) => boolean]

const attends = (code: NonNullable<Order['attention']>[number]) => (order: Order) =>
  order.attention?.includes(code) ?? false
const isIn = (code: Order['status']['code']) => (order: Order) => order.status.code === code
const awaits = (side: Order['awaiting']) => (order: Order) => order.awaiting === side

const inbox: readonly Group[] = [
  ['questions', awaits('SELLER')],
  ['unanswered', attends('UNANSWERED')],
  ['late', attends('LATE')],
  ['newOrders', isIn('SUBMITTED')],
  ['accepted', isIn('ACCEPTED')]
]
const ordered: readonly Group[] = [
  ['questions', awaits('BUYER')],
  ['returned', attends('RETURNED')],
  ['late', attends('LATE')],
  ['unanswered', attends('UNANSWERED')],
  ['drafts', isIn('DRAFT')],
  ['sent', isIn('SUBMITTED')],
  ['accepted', isIn('ACCEPTED')]
]

/** The orders of the user's organization. What needs the user comes first. */
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
  const groups: readonly Group[] = isClosed ? [['closed', () => true]] : isProvider ? inbox : ordered

  return (
    <>
      <h2>{deskText('orders')}</h2>
      <SearchForm label={deskText('searchOrders')} value={q} onSearch={(q) => replaceQuery([], { q })} />
      <p class="row">
        {!isProvider && (
          <DeskLink to={['patients']} isButton>
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
                    <h3>
                      {deskText(title)} <small>{entries.length}</small>
                    </h3>
                    <OrderTable label={deskText(title)} page={{ ...page, entries }} />
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
export function OrderTable({ label, page }: { label: string; page: Page<Order> }) {
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
  const heads = deskTextsOf('order', 'patient', isProvider ? 'buyer' : 'seller', 'status', 'wishedBy')
  return <DataTable label={label} heads={heads} rows={rows} />
}

/** The status of an order, whether it is urgent, and what it waits for. */
export function OrderMarks({ order }: { order: Order }) {
  const attention = useCodes('order-attention')
  return (
    <span class="marks">
      {order.status.display}
      {order.priority && <mark>{deskText('urgent')}</mark>}
      {order.attention?.map((code) => (
        <mark key={code}>{attention.get(code)}</mark>
      ))}
    </span>
  )
}
