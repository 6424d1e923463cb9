import type { OrderLine } from '../../../clients/typescript/src/index.js'
import { ActionButton } from '../../parts/actions.js'
import { DataTable } from '../../parts/table.js'
import { timeText } from '../../parts/texts.js'
import { Card } from '../card.js'
import { type DeskTextKey, deskText } from '../desk-texts.js'
import { DeskLink } from '../links.js'
import { useSelection } from '../lists/selection.js'
import { LineTag } from '../order-tags.js'
import { agreedText, itemName, joined, lineTitle, numbersText } from '../resource-texts.js'
import { useSession } from '../session.js'
import { actionsOf, LineActions } from './line-actions.js'
import { type OrderPart, useChanges } from './order-part.js'

/** The lines of an order. The user selects the lines to change. */
export function OrderLines(part: OrderPart) {
  const { order, orderLines, expanded } = part
  const session = useSession()
  const isDraft = order.status.code === 'DRAFT'
  const selectable = orderLines.filter((line) => actionsOf(session, order, [line]).length > 0)
  const isOnly = selectable.length === 1
  const selection = useSelection(selectable.map(({ id }) => id))
  const selected = selectable.filter(({ id }) => isOnly || selection.chosen.has(id))
  const hasSelection = selectable.length > 1
  const checkbox = (line: OrderLine) =>
    selectable.includes(line) && selection.box(line.id, lineTitle(line, expanded))
  const rows = orderLines.map((line) => [
    ...(hasSelection ? [checkbox(line)] : []),
    <>
      {line.action.display}: <b>{itemName(line, expanded)}</b>
      <small>{deviceTexts(line)}</small>
    </>,
    <>
      <LineTag line={line} isDraft={isDraft} />
      <small>{reasonText(line)}</small>
    </>,
    isDraft ? <RemoveButton {...part} line={line} /> : <span class="named">{timesOf(line)}</span>
  ])
  const addLines = isDraft && !session.isProvider && (
    <DeskLink to={['new', order.receiver.patient]} query={{ order: order.id }} class="button quiet">
      {deskText('addLines')}
    </DeskLink>
  )
  const heads = [...(hasSelection ? ['✓'] : []), deskText('what'), deskText('status')]
  return (
    <Card
      isFlush
      title={`${deskText('lines')} (${orderLines.length})`}
      actions={
        <>
          {hasSelection && selection.all}
          {orderLines.length > 0 && addLines}
        </>
      }
    >
      {selectable.length > 0 && (
        <div class="bulk">
          <span role="status">
            {isOnly
              ? selected.map((line) => lineTitle(line, expanded))
              : selected.length > 0
                ? deskText('selected', { count: selected.length })
                : deskText('selectHint')}
          </span>
          <LineActions {...part} selected={selected} onDone={selection.clear} />
        </div>
      )}
      <DataTable
        label={deskText('lines')}
        heads={[...heads, deskText(isDraft ? 'actions' : 'agreed')]}
        rows={rows}
        none={isDraft ? deskText('emptyDraft') : ''}
        instead={addLines}
      />
    </Card>
  )
}

/** The numbers of the device that a line delivered, or the device that it is about. */
const deviceTexts = ({ device, relatedDevice }: OrderLine) =>
  joined(
    ' · ',
    numbersText(device),
    device && differenceText(device.differsFromUdi),
    relatedDevice &&
      `${deskText('forDevice')}: ${joined(', ', relatedDevice.name, numbersText(relatedDevice))}`
  )

const differenceText = (names: readonly DeskTextKey[]) =>
  names.length === 0
    ? ''
    : deskText('differsFromUdi', { numbers: joined(', ', ...names.map((name) => deskText(name))) })

/** The agreed time of a line, and the time at which it was performed. */
const timesOf = (line: OrderLine) => (
  <>
    {agreedText(line) || deskText('noTime')}
    {line.performedAt && <small>{deskText('performed', { time: timeText(line.performedAt) })}</small>}
  </>
)

/**
 * The reason of the status of a line, the receiver of the delivery, and the end reason of the
 * device.
 */
const reasonText = ({ statusReason, receivedBy, device }: OrderLine) =>
  joined(
    ' · ',
    joined(': ', statusReason?.code?.display, statusReason?.text),
    receivedBy && `${deskText('receivedBy')}: ${receivedBy}`,
    device?.endReason?.display
  )

function RemoveButton(part: OrderPart & { line: OrderLine }) {
  const { line, expanded } = part
  const { client, isProvider } = useSession()
  const { change } = useChanges(part)
  if (isProvider) return null
  return (
    <ActionButton
      label={deskText('remove')}
      isQuiet
      onLost={part.onConflict}
      act={() => change(deskText('saved'), () => client.order.deleteOrderLine(line.id))}
    >
      <p>{deskText('removeEffect', { line: lineTitle(line, expanded) })}</p>
    </ActionButton>
  )
}
