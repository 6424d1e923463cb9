import { useEffect, useRef, useState } from 'preact/hooks'
import type { Order, OrderDetails, Result } from '../../../clients/typescript/src/index.js'
import { ErrorMessage } from '../../parts/errors.js'
import { Loaded } from '../../parts/loaded.js'
import { dateText, timeText } from '../../parts/texts.js'
import { showToast } from '../../parts/toasts.js'
import { deskText } from '../desk-texts.js'
import { DeskLink, type ViewProps } from '../links.js'
import { PAGE_SIZE } from '../lists/pager.js'
import { OrderTitle } from '../order-link.js'
import { placeOf } from '../order-lists.js'
import { OrderTags } from '../order-tags.js'
import { usePolling } from '../refresh.js'
import { type Expanded, joined, orderTitle, organizationText } from '../resource-texts.js'
import { useApi, useSession } from '../session.js'
import { ViewHead } from '../view-head.js'
import { OrderActions } from './order-actions.js'
import { OrderFacts } from './order-facts.js'
import { OrderLines } from './order-lines.js'
import { OrderNotes } from './order-notes.js'
import type { OrderPart } from './order-part.js'
import { OrderBanner, OrderSteps } from './order-state.js'
import { Timeline, traceText } from './timeline.js'

/** One order: its attention, its lines, the messages and the history. */
export function OrderView({ id, query }: ViewProps) {
  const call = useOrder(id)
  const { reload } = call
  usePolling(useSession(), id, call)
  useNews(call.data)
  const [conflict, setConflict] = useState<unknown>()
  return (
    <>
      <PlaceLinks id={id} />
      <Loaded call={call} head={<ViewHead title={deskText('order')} />} missing={deskText('orderMissing')}>
        {(details) => {
          const part = { ...details, reload, onConflict: setConflict }
          return (
            <>
              <ViewHead
                title={orderTitle(details.order)}
                heading={<OrderTitle {...details} />}
                actions={<OrderActions {...part} />}
              >
                <p class="soft">{subtitleOf(part)}</p>
                <OrderTags order={details.order} />
              </ViewHead>
              <ErrorMessage error={conflict} />
              <OrderBanner {...part} isUnsent={query.has('unsent')} />
              <OrderSteps {...part} />
              <div class="cols">
                <div>
                  <OrderLines {...part} />
                  <OrderNotes {...part} />
                </div>
                <div>
                  <OrderFacts {...part} />
                  <Timeline {...part} />
                </div>
              </div>
            </>
          )
        }}
      </Loaded>
    </>
  )
}

/** Reads an order with its lines, its trace, and the items and parties. */
export function useOrder(id: string) {
  return useApi<OrderDetails & { expanded: Expanded; etag: string | undefined; known: Result<OrderDetails> }>(
    async ({ client }, signal, last) => {
      const options = { signal, ...(last && { known: last.known }) }
      const known = await client.order.getOrderDetails(id, { expand: ['items', 'parties'] }, options)
      if (known === last?.known) return last
      return { ...known.data, expanded: known.data.expanded as Expanded, etag: known.etag, known }
    },
    [id]
  )
}

/** Announces the changes of the other side while the view is open. */
function useNews(details: Pick<OrderPart, 'order' | 'traceLines'> | undefined): void {
  const { isOwn } = useSession()
  const seen = useRef<{ traces: number; notes: number }>(undefined)
  useEffect(() => {
    if (!details) return
    const { traceLines, order } = details
    const now = { traces: traceLines.length, notes: order.notes.length }
    const before = seen.current ?? now
    seen.current = now
    const notes = order.notes
      .slice(before.notes)
      .map((note) => [note.authorOrganization, deskText('newNote')])
    const acts = traceLines.slice(before.traces).map((each) => [each.createdByOrganization, traceText(each)])
    const news = [...acts, ...notes].filter(([organization = '']) => !isOwn(organization))
    const texts = news.map(([organization = '', text]) => joined(': ', organizationText(organization), text))
    if (texts.length > 0) showToast([...new Set(texts)].join(' · '))
  }, [details])
}

const subtitleOf = ({ order, expanded }: OrderPart): string =>
  joined(
    ' · ',
    ...order.identifiers.map(({ value }) => value),
    order.submitted
      ? deskText('sentAt', { time: timeText(order.submitted) })
      : deskText('createdAt', { time: timeText(order.created ?? '') }),
    (expanded[order.buyer] as { name?: string } | undefined)?.name,
    order.latestDeliveryDate && deskText('wishedUntil', { day: dateText(order.latestDeliveryDate) })
  )

/** Links to the list, and to the previous and the next order in it. */
function PlaceLinks({ id }: Pick<Order, 'id'>) {
  const place = placeOf(id)
  const step = (to: string | undefined, text: string) => to && <DeskLink to={['order', to]}>{text}</DeskLink>
  return (
    <p class="row">
      <DeskLink
        to={[]}
        query={
          place && {
            list: place.list,
            ...(place.q && { q: place.q }),
            page: String(Math.ceil(place.place / PAGE_SIZE))
          }
        }
      >
        ‹ {deskText(place?.list ?? 'orders')}
      </DeskLink>
      {place && (
        <>
          <span class="soft">{deskText('placeOf', { place: place.place, total: place.total })}</span>
          {step(place.previous, `‹ ${deskText('previous')}`)}
          {step(place.next, `${deskText('next')} ›`)}
        </>
      )}
    </p>
  )
}
