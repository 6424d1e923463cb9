import { ActionForm, textOf } from '../../parts/actions.js'
import { timeText } from '../../parts/texts.js'
import { deskText } from '../desk-texts.js'
import { joined } from '../resource-texts.js'
import { useSession } from '../session.js'
import { TextField } from '../text-field.js'
import { type OrderPart, useChanges } from './order-part.js'

/** The notes of both sides, with their questions and answers. */
export function OrderNotes(part: OrderPart) {
  const { order } = part
  const { isProvider } = useSession()
  const { changeOrder } = useChanges(part)
  const [own, other] = isProvider ? (['SELLER', 'BUYER'] as const) : (['BUYER', 'SELLER'] as const)
  const canAsk = order.status.code === 'SUBMITTED' || order.status.code === 'ACCEPTED'

  function send(data: FormData) {
    const note = { op: 'add', path: '/notes/-', value: { note: textOf(data, 'note') ?? '' } } as const
    return data.has('asks')
      ? changeOrder(note, { op: 'add', path: '/awaiting', value: other })
      : changeOrder(note)
  }
  return (
    <>
      <h3>{deskText('notes')}</h3>
      {order.notes.map(({ note, authorName, authorOrganization, timestamp }, at) => (
        <blockquote key={at}>
          {note}
          <footer>
            <cite>{joined(' · ', authorName, authorOrganization, timeText(timestamp))}</cite>
          </footer>
        </blockquote>
      ))}
      {order.awaiting && (
        <p>
          <mark>{deskText(order.awaiting === own ? 'yourAnswer' : 'theirAnswer')}</mark>
        </p>
      )}
      {/* Empty after each note. */}
      <ActionForm key={order.notes.length} label={deskText('addNote')} act={send}>
        <TextField label="newNote" name="note" rows={3} required />
        {canAsk && (
          <label>
            <input type="checkbox" name="asks" /> {deskText('asks')}
          </label>
        )}
      </ActionForm>
    </>
  )
}
