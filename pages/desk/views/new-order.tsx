import { useEffect, useRef } from 'preact/hooks'
import type { CatalogueItem } from '../../../clients/typescript/src/index.js'
import { ActionForm, textOf } from '../../parts/actions.js'
import { guardDraft, useCreateOnce, useDraft } from '../../parts/drafts.js'
import { Loaded } from '../../parts/loaded.js'
import { DataTable } from '../../parts/table.js'
import { Card } from '../card.js'
import { deskText, deskTextsOf } from '../desk-texts.js'
import { type FoundItem, ItemSearch, type LineAction } from '../item-search.js'
import { openView, type ViewProps } from '../links.js'
import { contactQuestion, OrderFields, orderContent } from '../order-fields.js'
import { deviceName, joined, numbersText, patientText } from '../resource-texts.js'
import { type Session, useApi, useSession } from '../session.js'
import { TextField } from '../text-field.js'
import { ViewHead } from '../view-head.js'
import { transitionTo } from './order-part.js'
import { loadPatient } from './patient.js'

/** A line to order. Without a response the line is sent again with the same key. */
interface NewLine {
  key: string
  found: FoundItem
  action: LineAction
  relatedTo: string | null
}

const lineInput = ({ found, action, relatedTo }: NewLine) => ({ item: found.url, action, relatedTo })

/** The earlier order that this order repeats, and its lines. */
async function loadAgain({ client }: Session, id: string, signal: AbortSignal) {
  const { data } = await client.order.getOrderDetails(id, { expand: ['items'] }, { signal })
  const lines = data.orderLines.flatMap(({ item: url, action, relatedTo = null }): NewLine[] => {
    const known = data.expanded?.[url] as CatalogueItem | undefined
    if (!known) return []
    // Only search results name the seller of an item.
    const item = { ...known, seller: data.order.seller }
    return [{ key: crypto.randomUUID(), found: { item, url, reasons: [] }, action: action.code, relatedTo }]
  })
  return { order: data.order, lines }
}

/** Writes an order for a patient, also from an earlier one, or adds lines to a draft. */
export function NewOrderView({ id: patient, query }: ViewProps) {
  const { client, me, partyOf, urlOf } = useSession()
  const [draftId, againId, deviceId] = [query.get('order'), query.get('again'), query.get('device')]
  const [itemId, action] = [query.get('item'), query.get('action') as LineAction]
  const itemSeller = query.get('seller') ?? ''
  const call = useApi(
    async (session, signal) => {
      const [known, draft, again, item] = await Promise.all([
        loadPatient(session, patient, signal),
        draftId === null ? undefined : client.order.getOrder(draftId, {}, { signal }),
        againId === null ? undefined : loadAgain(session, againId, signal),
        itemId === null ? undefined : client.catalogue.getCatalogueItem(itemId, { signal })
      ])
      const found = item && {
        item: { ...item.data, seller: itemSeller },
        ...{ url: urlOf.item(item.data), reasons: [] }
      }
      return { ...known, draft: draft?.data, again, first: found && [newLine(found, action, deviceId)] }
    },
    [patient, draftId, againId, deviceId, itemId, action]
  )
  const draftName = ['new', patient, draftId, againId, deviceId, itemId, action].join(' ')
  const [chosen, setChosen] = useDraft<readonly NewLine[]>(draftName, true)
  const lines = chosen ?? call.data?.again?.lines ?? call.data?.first ?? []
  const fieldsName = `fields ${draftName}`
  // The fields of an order without lines are hidden.
  useEffect(() => void guardDraft(fieldsName, lines.length > 0), [fieldsName, lines.length > 0])
  const createOnce = useCreateOnce(draftName)
  const own = me.parties.find((url) => partyOf(url)?.allowedRoles.includes('BUYER'))
  const buyer = call.data?.draft?.buyer ?? call.data?.again?.order.buyer ?? own ?? ''
  const seller = call.data?.draft?.seller ?? lines[0]?.found.item.seller

  /** A line, also about a device. */
  const newLine = (found: FoundItem, action: LineAction, device: string | null): NewLine => ({
    key: crypto.randomUUID(),
    found,
    action,
    relatedTo: device !== null && action !== 'DELIVER' ? urlOf.line({ id: device }) : null
  })

  async function create(data: FormData): Promise<void> {
    const note = textOf(data, 'note')
    const body = {
      ...orderContent(data, patient),
      name: lines[0]?.found.item.name ?? null,
      buyer,
      seller: seller ?? '',
      notes: note === null ? [] : [{ note }],
      orderLines: lines.map(lineInput)
    }
    // Until the order is submitted, a repeat must not create a second order.
    const { id, isDone } = await createOnce(body, async (options) => {
      const { id } = await client.order.createOrder(body, options)
      return { id, isDone: data.has('asDraft') || (await send(id)) }
    })
    setChosen(undefined)
    openView(['order', id], isDone ? {} : { unsent: '' })
  }

  /** The draft exists even if it cannot be submitted. Its view shows the error. */
  const send = (id: string) =>
    client.order.patchOrder(id, [transitionTo('SUBMITTED')]).then(
      () => true,
      () => false
    )

  async function addTo(draft: { id: string }): Promise<void> {
    const order = urlOf.order(draft)
    for (const [at, line] of lines.entries()) {
      await client.order.createOrderLine({ ...lineInput(line), order }, { idempotencyKey: line.key })
      setChosen(lines.slice(at + 1))
    }
    setChosen(undefined)
    openView(['order', draft.id])
  }

  const chosenTitle = `${deskText('chosen')} (${lines.length})`
  const basket = useRef<HTMLDivElement>(null)
  function showBasket() {
    basket.current?.scrollIntoView()
    basket.current?.querySelector('h2')?.focus({ preventScroll: true })
  }
  /** Chosen lines are shown before the search. */
  const isFilled = againId !== null || itemId !== null

  return (
    <Loaded call={call} head={<ViewHead title={deskText('newOrder')} />}>
      {({ receiver, devices, draft, again }) => {
        /** The device that a new line is about. */
        const about = devices.entries.find(({ id }) => id === deviceId)
        const add = (found: FoundItem, action: LineAction) =>
          setChosen([...lines, newLine(found, action, about?.id ?? null)])
        const known = (draft ?? again?.order)?.receiver ?? receiver
        const titleKey = draft ? 'addLines' : again ? 'orderAgain' : 'newOrder'
        const name = known ? patientText(known) : deskText('newPatient')
        const search = (
          <div key="search">
            <Card isFlush title={deskText('findItems')}>
              <ItemSearch patient={patient} buyer={buyer} seller={seller} query={query} onAdd={add} />
            </Card>
          </div>
        )
        const basketPart = (
          <div key="basket" ref={basket}>
            <Card isFlush title={chosenTitle}>
              <ChosenLines lines={lines} onChange={setChosen} />
              {lines.length > 0 && draft && (
                <div class="in">
                  <ActionForm label={deskText('addToOrder')} act={() => addTo(draft)} />
                </div>
              )}
            </Card>
            {lines.length > 0 && !draft && (
              <Card title={deskText('receiver')}>
                <ActionForm
                  label={deskText('sendOrder')}
                  act={create}
                  ask={contactQuestion}
                  draft={fieldsName}
                  others={
                    <button type="submit" name="asDraft" class="quiet">
                      {deskText('saveDraft')}
                    </button>
                  }
                >
                  <OrderFields
                    priority={again?.order.priority ?? false}
                    receiver={again?.order.receiver ?? receiver}
                  />
                  <TextField label="note" hint="noteHint" name="note" rows={3} />
                </ActionForm>
              </Card>
            )}
          </div>
        )
        return (
          <>
            <ViewHead
              title={joined(' · ', deskText(titleKey), name)}
              actions={
                lines.length > 0 && (
                  <button type="button" class="to-basket" onClick={showBasket}>
                    {chosenTitle}
                  </button>
                )
              }
            >
              {about && (
                <p>
                  {deskText('forDevice')}: {joined(' ', deviceName(about.device), numbersText(about.device))}
                </p>
              )}
            </ViewHead>
            <div class={isFilled ? 'cols basket filled' : 'cols basket'}>
              {isFilled ? [basketPart, search] : [search, basketPart]}
            </div>
          </>
        )
      }}
    </Loaded>
  )
}

function ChosenLines(props: { lines: readonly NewLine[]; onChange(lines: readonly NewLine[]): void }) {
  const { lines, onChange } = props
  const { codes } = useSession()
  const rows = lines.map(({ key, found: { item }, action }, at) => [
    <>
      {item.name}
      <small>{codes['order-line-action'].get(action)}</small>
    </>,
    <button
      key={key}
      type="button"
      class="quiet"
      aria-label={`${deskText('remove')}: ${item.name}`}
      onClick={() => onChange(lines.toSpliced(at, 1))}
    >
      {deskText('remove')}
    </button>
  ])
  const heads = deskTextsOf('item', 'actions')
  return <DataTable label={deskText('chosen')} heads={heads} rows={rows} none={deskText('noLines')} />
}
