import { idOf, type OrderLine, type TraceLine } from '../../clients/typescript/src/index.js'
import { type ItemKey, nameOf } from './catalogue-data.js'
import type { Items } from './catalogues.js'
import { pathOf } from './client.js'
import { orders } from './order-data.js'
import { heading, printLine } from './print.js'
import type { Stage } from './stage.js'

/** Prints the trace of an order from its details as a table. */
export async function printTrace(stage: Stage, key: string, order: string, items: Items): Promise<void> {
  const row = orders.find((each) => each.key === key)
  if (!row) return
  const path = `${pathOf(order)}/details`
  const nurse = stage.as('MonitoringResponsible', row.buyer)
  const { orderLines, traceLines } = (await nurse.order.getOrderDetails(idOf(order))).data
  heading(`What happened to order ${row.number}, ${row.name} (UTC)`, `GET ${path}`)
  printLine('')
  const rows = traceLines.map((each) => cellsOf(each, subjectOf(each, orderLines, items)))
  for (const line of columns([head, ...rows])) printLine(`  ${line}`)
}

const head = ['Time', 'Organization', 'Text', 'Old → new', 'Item']

function cellsOf(trace: TraceLine, subject: string): string[] {
  const time = trace.timestamp.replace('T', ' ').replace('Z', '')
  return [time, trace.createdByOrganization, trace.text, changeOf(trace), subject]
}

/** The change of status, or of other members from the supplementary text. */
function changeOf({ statusChange, supplementaryText }: TraceLine): string {
  if (statusChange) return `${statusChange.oldStatus.code} → ${statusChange.newStatus.code}`
  const [, members] = /^Changed: (.*)\.$/.exec(supplementaryText) ?? []
  if (members !== undefined) return members
  const [, before, after] = /^Old value: (.*)\. New value: (.*)\.$/.exec(supplementaryText) ?? []
  return after === undefined ? supplementaryText : `${before} → ${after}`
}

/** The item of the order line of an entry. Empty for an entry of the order itself. */
function subjectOf({ orderLine }: TraceLine, orderLines: readonly OrderLine[], items: Items): string {
  const line = orderLines.find(({ id }) => orderLine?.endsWith(`/${id}`))
  const key = (Object.keys(items) as ItemKey[]).find((each) => items[each] === line?.item)
  return key === undefined ? '' : nameOf(key)
}

/** Formats rows with aligned columns. */
function columns(rows: readonly string[][]): string[] {
  const width = (at: number) => Math.max(...rows.map((row) => row[at]?.length ?? 0))
  return rows.map((row) =>
    row
      .map((cell, at) => cell.padEnd(width(at)))
      .join('  ')
      .trimEnd()
  )
}
