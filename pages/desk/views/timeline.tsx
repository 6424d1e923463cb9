import type { TraceLine } from '../../../clients/typescript/src/index.js'
import { timeText } from '../../parts/texts.js'
import { Card } from '../card.js'
import { deskText, translatedTrace } from '../desk-texts.js'
import { lineTags } from '../order-tags.js'
import { itemName, joined, organizationText } from '../resource-texts.js'
import { useSession } from '../session.js'
import { transitionTexts } from './order-actions.js'
import type { OrderPart } from './order-part.js'

/** Maximum milliseconds between the first and the last trace line of one action. */
const ACT_MS = 60_000

/** The history of an order, action by action, latest first. */
export function Timeline({ traceLines, orderLines, expanded }: OrderPart) {
  const { urlOf } = useSession()
  const names = new Map(orderLines.map((line) => [urlOf.line(line), itemName(line, expanded)]))
  return (
    <Card title={deskText('history')}>
      <ol class="timeline" reversed>
        {actsIn(traceLines.toReversed()).map(([trace, ...others]) => {
          const lines = [trace, ...others].flatMap(({ orderLine }) => names.get(orderLine ?? '') ?? [])
          return (
            <li key={trace.id}>
              {others.length > 0 ? (
                <details>
                  <summary>{`${traceText(trace)} (${others.length + 1})`}</summary>
                  {lines.join(', ')}
                </details>
              ) : (
                joined(': ', traceText(trace), lines[0])
              )}
              <small>
                {joined(' · ', organizationText(trace.createdByOrganization), timeText(trace.timestamp))}
              </small>
            </li>
          )
        })}
      </ol>
    </Card>
  )
}

type Act = [TraceLine, ...TraceLine[]]

/** Groups the trace lines of one action of an organization on several lines. */
function actsIn(traces: readonly TraceLine[]): Act[] {
  const acts: Act[] = []
  for (const trace of traces) {
    const act = acts.find(([first]) => isSameAct(first, trace))
    if (act) act.push(trace)
    else acts.push([trace])
  }
  return acts
}

const isSameAct = (one: TraceLine, other: TraceLine): boolean =>
  one.orderLine !== null &&
  other.orderLine !== null &&
  traceText(one) === traceText(other) &&
  one.createdByOrganization === other.createdByOrganization &&
  Math.abs(Date.parse(one.timestamp) - Date.parse(other.timestamp)) < ACT_MS

export function traceText(trace: TraceLine): string {
  if (!trace.statusChange) return translatedTrace(trace)
  const { code } = trace.statusChange.newStatus
  const key = trace.orderLine
    ? lineTags[code as 'SUBMITTED']?.[0]
    : transitionTexts[code as 'SUBMITTED']?.done
  return key ? deskText(key) : translatedTrace(trace)
}
