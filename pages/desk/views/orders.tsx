import { useEffect, useState } from 'preact/hooks'
import type { Order, Party } from '../../../clients/typescript/src/index.js'
import { ListEnd, type Part, readList } from '../../parts/list.js'
import { Loaded } from '../../parts/loaded.js'
import { dateText } from '../../parts/texts.js'
import { type DeskTextKey, deskText } from '../desk-texts.js'
import { DeskLink } from '../links.js'
import { orderTitle, patientText } from '../resource-texts.js'
import { RowTable } from '../row-table.js'
import { SearchForm } from '../search-form.js'
import { useApi, useSession } from '../session.js'

/** Orders that are shown at first and with each step, in addition to those that need attention. */
const STEP = 200

const REFRESH_MS = 60_000

const running = { status: ['DRAFT', 'SUBMITTED', 'ACCEPTED'], sort: 'priority' } as const
/** All of these are shown, however old. */
const inNeed = { attention: ['QUESTION', 'RETURNED', 'LATE', 'UNANSWERED'] } as const
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

const isComplete = (title: DeskTextKey) => ['questions', 'returned', 'late', 'unanswered'].includes(title)

/** The orders of the user's organization, by what they need. */
export function OrdersView({ query }: { query: URLSearchParams }) {
  const { isProvider } = useSession()
  const q = query.get('q') ?? ''
  const isClosed = query.has('closed')
  const [size, setSize] = useState(STEP)
  const call = useApi(
    async ({ client }, signal) => {
      const wanted = { ...(q && { q }), expand: ['parties'] as 'parties'[] }
      const listOf = (limit: number) =>
        client.order.listOrder(
          { ...(isClosed ? closed : running), ...wanted, limit, count: true },
          { signal }
        )
      const needing = (limit: number) => client.order.listOrder({ ...inNeed, ...wanted, limit }, { signal })
      const [page, first] = await Promise.all([
        readList(listOf, size),
        isClosed ? undefined : readList(needing)
      ])
      return withFirst(first, page)
    },
    [q, isClosed, size]
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
                    {/* Further orders may have no more than a status. */}
                    <h3>{`${deskText(title)} ${entries.length}${page.next && !isComplete(title) ? '+' : ''}`}</h3>
                    <OrderTable label={title} page={{ ...page, entries }} />
                  </div>
                )
              )
            })}
            <ListEnd page={page} onMore={() => setSize(size + STEP)} />
          </>
        )}
      </Loaded>
    </>
  )
}

/** A page of orders after those that need attention: urgent ones first, then the oldest. */
function withFirst(needing: Part<Order> | undefined, page: Part<Order>): Part<Order> {
  if (!needing) return page
  const first = needing.entries
    .toReversed()
    .sort((one, other) => Number(other.priority) - Number(one.priority))
  const ids = new Set(first.map(({ id }) => id))
  return {
    ...page,
    entries: [...first, ...page.entries.filter(({ id }) => !ids.has(id))],
    expanded: { ...page.expanded, ...needing.expanded }
  }
}

/** Orders with their parties, each with a link to its view. */
export function OrderTable({ label, page }: { label: DeskTextKey; page: Part<Order> }) {
  const { isProvider } = useSession()
  const rows = page.entries.map((order) => [
    <DeskLink key={order.id} to={['order', order.id]}>
      {orderTitle(order)}
    </DeskLink>,
    patientText(order.receiver),
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
