import type { TraceLine } from '../../../clients/typescript/src/index.js'
import { timeText } from '../../parts/texts.js'
import { deskText, translatedTrace } from '../desk-texts.js'
import { itemName } from '../resource-texts.js'
import { useSession } from '../session.js'
import type { OrderPart } from './order-part.js'

/** The history of an order, latest first. */
export function Timeline({ traceLines, orderLines, expanded }: OrderPart) {
  const { urlOf } = useSession()
  const names = new Map(orderLines.map((line) => [urlOf.line(line), itemName(line, expanded)]))
  return (
    <>
      <h3>{deskText('history')}</h3>
      <ol class="timeline" reversed>
        {traceLines.toReversed().map((trace) => (
          <li key={trace.id}>
            {trace.orderLine && <strong>{names.get(trace.orderLine)}: </strong>}
            {traceText(trace)}
            <small>
              {timeText(trace.timestamp)} · {trace.createdByOrganization}
            </small>
          </li>
        ))}
      </ol>
    </>
  )
}

function traceText(trace: TraceLine): string {
  if (!trace.statusChange) return translatedTrace(trace)
  const { oldStatus, newStatus } = trace.statusChange
  return `${oldStatus.display ?? oldStatus.code} → ${newStatus.display ?? newStatus.code}`
}
