import { useRef, useState } from 'preact/hooks'
import { ActionForm, textOf } from '../../parts/actions.js'
import { Loaded } from '../../parts/loaded.js'
import { deskText } from '../desk-texts.js'
import { type FoundItem, ItemSearch, type LineAction } from '../item-search.js'
import { openView } from '../links.js'
import { OrderFields, orderContent } from '../order-fields.js'
import { deviceName, joined, numbersText, patientText } from '../resource-texts.js'
import { RowTable } from '../row-table.js'
import { useApi, useSession } from '../session.js'
import { TextField } from '../text-field.js'
import { moveTo } from './order-part.js'
import { loadPatient } from './patient.js'

/** A line to order. Sent again without a response, it has the same key. */
interface NewLine {
  key: string
  found: FoundItem
  action: LineAction
  relatedTo: string | null
}

const lineInput = ({ found, action, relatedTo }: NewLine) => ({ item: found.url, action, relatedTo })

/** Writes an order for a patient, or adds lines to a draft. */
export function NewOrderView({ patient, query }: { patient: string; query: URLSearchParams }) {
  const { client, me, partyOf, urlOf } = useSession()
  const draftId = query.get('order')
  const call = useApi(
    async (session, signal) => ({
      ...(await loadPatient(session, patient, signal)),
      draft: draftId === null ? undefined : (await client.order.getOrder(draftId, {}, { signal })).data
    }),
    [patient, draftId]
  )
  const [lines, setLines] = useState<readonly NewLine[]>([])
  const sent = useRef({ text: '', key: '' })
  const own = me.parties.find((url) => partyOf(url)?.allowedRoles.includes('BUYER'))
  const buyer = call.data?.draft?.buyer ?? own ?? ''
  const seller = call.data?.draft?.seller ?? lines[0]?.found.item.seller

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
    // Whether an order without a response was created is unknown: sent again, it has the same key.
    const text = JSON.stringify(body)
    if (sent.current.text !== text) sent.current = { text, key: crypto.randomUUID() }
    const { id } = await client.order.createOrder(body, { idempotencyKey: sent.current.key })
    const isDone = data.has('asDraft') || (await send(id))
    openView(['order', id], isDone ? {} : { unsent: '' })
  }

  /** The draft is there, even if it cannot be sent: its view says so. */
  const send = (id: string) =>
    client.order.patchOrder(id, [moveTo('SUBMITTED')]).then(
      () => true,
      () => false
    )

  async function addTo(draft: { id: string }): Promise<void> {
    const order = urlOf.order(draft)
    for (const [at, line] of lines.entries()) {
      await client.order.createOrderLine({ ...lineInput(line), order }, { idempotencyKey: line.key })
      setLines(lines.slice(at + 1))
    }
    openView(['order', draft.id])
  }

  return (
    <Loaded call={call}>
      {({ receiver, devices, draft }) => {
        /** The device that a new line is about. */
        const about = devices.entries.find(({ id }) => id === query.get('device'))
        const add = (found: FoundItem, action: LineAction) => {
          const relatedTo = about && action !== 'DELIVER' ? urlOf.line(about) : null
          setLines([...lines, { key: crypto.randomUUID(), found, action, relatedTo }])
        }
        const known = draft?.receiver ?? receiver
        return (
          <>
            <h2>{joined(' · ', deskText('order'), known ? patientText(known) : deskText('newPatient'))}</h2>
            {about && (
              <p>
                {deskText('forDevice')}: {joined(' ', deviceName(about.device), numbersText(about.device))}
              </p>
            )}
            <ItemSearch patient={patient} buyer={buyer} seller={seller} query={query} onAdd={add} />
            <h3>{deskText('chosen')}</h3>
            <ChosenLines lines={lines} onChange={setLines} />
            {lines.length > 0 && draft && (
              <ActionForm label={deskText('addToOrder')} act={() => addTo(draft)} />
            )}
            {lines.length > 0 && !draft && (
              <ActionForm
                label={deskText('sendOrder')}
                act={create}
                others={
                  <button type="submit" name="asDraft" class="quiet">
                    {deskText('saveDraft')}
                  </button>
                }
              >
                <h3>{deskText('receiver')}</h3>
                <OrderFields {...(receiver && { receiver })} />
                <TextField label="note" hint="noteHint" name="note" rows={3} />
              </ActionForm>
            )}
          </>
        )
      }}
    </Loaded>
  )
}

interface ChosenLinesProps {
  lines: readonly NewLine[]
  onChange(lines: readonly NewLine[]): void
}

/** The lines to order. */
function ChosenLines({ lines, onChange }: ChosenLinesProps) {
  const { codes } = useSession()
  const rows = lines.map(({ key, found: { item }, action }, at) => [
    item.name,
    codes['order-line-action'].get(action),
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
  return <RowTable label="chosen" heads={['item', 'action', 'actions']} rows={rows} none="noLines" />
}
