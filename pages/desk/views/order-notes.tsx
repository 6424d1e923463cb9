import { useState } from 'preact/hooks'
import { ActionForm, textOf } from '../../parts/actions.js'
import { timeText } from '../../parts/texts.js'
import { Card } from '../card.js'
import { deskText } from '../desk-texts.js'
import { joined, organizationText } from '../resource-texts.js'
import { useSession } from '../session.js'
import { CheckField, TextField } from '../text-field.js'
import { type OrderPart, useChanges } from './order-part.js'

/** The number of messages that are shown at first, which are the latest. */
const SHOWN_AT_FIRST = 5

/** The messages of both sides, with their questions and answers. */
export function OrderNotes(part: OrderPart) {
  const { order } = part
  const { side, otherSide, isOwn } = useSession()
  const { changeOrder } = useChanges(part)
  const [isWhole, setWhole] = useState(false)
  const canAsk = order.status.code === 'SUBMITTED' || order.status.code === 'ACCEPTED'
  const hidden = isWhole ? 0 : Math.max(0, order.notes.length - SHOWN_AT_FIRST)
  const isAnswer = order.awaiting === side

  function send(data: FormData) {
    const note = { op: 'add', path: '/notes/-', value: { note: textOf(data, 'note') ?? '' } } as const
    const asks = { op: 'add', path: '/awaiting', value: otherSide } as const
    return changeOrder(deskText('noteSent'), note, ...(data.has('asks') ? [asks] : []))
  }
  return (
    <Card title={`${deskText('notes')} (${order.notes.length})`}>
      {order.notes.length === 0 && <p class="soft">{deskText('noNotes')}</p>}
      {hidden > 0 && (
        <p>
          <button type="button" class="link" onClick={() => setWhole(true)}>
            {deskText('showOlder', { count: hidden })}
          </button>
        </p>
      )}
      {order.notes.slice(hidden).map(({ note, authorName, authorOrganization, timestamp }, at) => (
        <div key={hidden + at} class={isOwn(authorOrganization) ? 'message mine' : 'message'}>
          {note}
          <small>
            {joined(' · ', authorName, organizationText(authorOrganization), timeText(timestamp))}
          </small>
        </div>
      ))}
      <ActionForm
        label={deskText(isAnswer ? 'sendAnswer' : 'addNote')}
        act={send}
        draft={`note ${order.id}`}
        others={canAsk && <CheckField label="asks" name="asks" />}
      >
        <TextField label={isAnswer ? 'answer' : 'newNote'} name="note" rows={2} required />
      </ActionForm>
    </Card>
  )
}
