import { useLayoutEffect } from 'preact/hooks'
import type { Order } from '../../../clients/typescript/src/index.js'
import { type ListPart, readList } from '../../parts/list.js'
import { useStore } from '../../parts/store.js'
import { type DeskTextKey, deskText } from '../desk-texts.js'
import { DeskLink, type ViewProps } from '../links.js'
import { ListView } from '../lists/list-view.js'
import { PAGE_SIZE, Pager, pageIn, pageOf, pageWithin } from '../lists/pager.js'
import { Tabs } from '../lists/tabs.js'
import { MailSwitch } from '../mail-switch.js'
import {
  listsOf,
  listsWith,
  type OrderList,
  orderCounts,
  rememberPlaces,
  rememberVisit
} from '../order-lists.js'
import { OrderTable } from '../order-table.js'
import { usePolling } from '../refresh.js'
import { SearchForm } from '../search-form.js'
import { useApi, useSession } from '../session.js'

/** The orders of the user's organization: a tab for each list. */
export function OrdersView({ query }: ViewProps) {
  const session = useSession()
  const totals = useStore(orderCounts)
  const lists = listsOf(session)
  const wanted = query.get('list')
  // Without a choice, the first list that has an order.
  const list =
    lists.find(({ name }) => name === wanted) ?? lists.find(({ name }) => totals[name] !== '0') ?? lists[0]
  const isReady = wanted !== null || Object.keys(totals).length > 0
  const q = query.get('q') ?? ''
  const page = pageIn(query)
  const call = useApi(
    async (session, signal, last): Promise<Shown | undefined> => {
      if (!isReady || !list) return undefined
      const search = { ...list.query, ...(q && { q }), expand: ['parties'], count: true } as const
      const all = await readList(
        (limit) => session.client.order.listOrder({ ...search, limit }, { signal }),
        // The view of the last order on a page links to the first order of the next page.
        (page + 1) * PAGE_SIZE,
        last?.all
      )
      const shownPage = pageWithin(page, all.entries.length)
      const part = { ...all, entries: pageOf(all.entries, shownPage) }
      const others = q && part.entries.length === 0 ? await listsWith(q, session, signal) : []
      if (last?.all === all && JSON.stringify(last.others) === JSON.stringify(others)) return last
      return { list, q, all, part, page: shownPage, others }
    },
    [list?.name, q, page, isReady]
  )
  usePolling(session, 'orders', call, list?.name, q, page)
  const shown = call.data
  // An effect would not run if the user opened an order first.
  useLayoutEffect(() => {
    if (shown?.list.name === 'ended') void rememberVisit(session)
    if (shown) rememberPlaces(shown.list, shown.q, shown.all)
  }, [shown])
  const title = deskText('orders')
  const tabTitle = list ? `${deskText(list.name)} (${totals[list.name] ?? '…'})` : title

  return (
    <ListView
      title={title}
      tabTitle={tabTitle}
      call={call}
      actions={!session.isProvider && <NewOrderLink />}
      tabs={
        <Tabs
          to={[]}
          tabs={lists.map(({ name, colour }) => ({ name, colour, count: totals[name] }))}
          current={list?.name}
        />
      }
      filter={
        <>
          <SearchForm label="searchOrders" to={[]} query={query} />
          <MailSwitch />
        </>
      }
    >
      {(data) => data && <ListPage {...data} query={query} lists={lists} />}
    </ListView>
  )
}

const NewOrderLink = ({ isQuiet = false }) => (
  <DeskLink to={['patients']} class={isQuiet ? 'button quiet' : 'button'}>
    {deskText('newOrder')}
  </DeskLink>
)

/** A page of a list, and all orders up to the end of the next page. */
interface Shown {
  list: OrderList
  q: string
  all: ListPart<Order>
  part: ListPart<Order>
  page: number
  /** The lists in which the search finds orders, if this list has none. */
  others: readonly { name: DeskTextKey; count: string }[]
}

type ListPageProps = Omit<Shown, 'all'> & { lists: readonly OrderList[]; query: URLSearchParams }

/** A page of a list. An empty list has links to other actions. */
function ListPage({ list, lists, part, q, page, others, query }: ListPageProps) {
  const { isProvider } = useSession()
  const totals = useStore(orderCounts)
  const waiting = lists.find(({ name }) => name !== list.name && name !== 'closed' && totals[name] !== '0')
  const instead = (
    <>
      {q
        ? others.map(({ name, count }) => (
            <DeskLink key={name} to={[]} query={{ list: name, q }} class="button quiet">
              {`${deskText(name)} (${count})`}
            </DeskLink>
          ))
        : waiting && (
            <DeskLink to={[]} query={{ list: waiting.name }} class="button quiet">
              {deskText('showList', { list: deskText(waiting.name) })}
            </DeskLink>
          )}
      {q && others.length === 0 && (
        <DeskLink to={[]} query={{ list: list.name }} class="button quiet">
          {deskText('showAll')}
        </DeskLink>
      )}
      {!isProvider && <NewOrderLink isQuiet />}
    </>
  )
  const none = q
    ? deskText(others.length > 0 ? 'noMatch' : 'noMatchAnywhere', { q })
    : deskText('noneIn', { list: deskText(list.name) })
  return (
    <>
      <OrderTable label={list.name} page={part} none={none} instead={instead} />
      {part.entries.length > 0 && (
        <Pager
          to={[]}
          query={new URLSearchParams({ ...Object.fromEntries(query), list: list.name })}
          page={page}
          count={part.entries.length}
          total={part.totalCount}
          hasNext={part.next !== undefined || Number(part.totalCount) > page * PAGE_SIZE}
        />
      )}
    </>
  )
}
