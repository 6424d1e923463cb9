import { idOf, type OrderLine, type TraceLine } from '../../clients/typescript/src/index.js'
import { type ItemKey, nameOf } from './catalogue-data.js'
import { type ClientOf, printEvent, printHeading, printLine } from './client.js'
import { receivers } from './data.js'
import type { World } from './set-up.js'

/** Prints the trace of an order of Aarhus as a table. */
export async function printTrace(as: ClientOf, order: string, world: World): Promise<void> {
  const { data } = await as('MonitoringResponsible', 'aarhus').order.getOrderDetails(idOf(order))
  printHeading(`What happened to order ${data.order.identifiers[0]?.value}, ${data.order.name} (UTC)`, order)
  const itemOf = ({ orderLine }: TraceLine) => {
    const line = data.orderLines.find(({ id }) => orderLine?.endsWith(`/${id}`))
    return line ? itemName(line.item, world) : ''
  }
  const rows = data.traceLines.map((each) => [
    ...[each.timestamp.slice(11, 19), each.createdByOrganization, each.text, changeOf(each), itemOf(each)]
  ])
  const table = [['Time', 'Organization', 'Text', 'Old → new', 'Item'], ...rows]
  const widthOf = (at: number) => Math.max(...table.map((row) => row[at]?.length ?? 0))
  for (const row of table)
    printLine(`  ${row.map((cell, at) => cell.padEnd(widthOf(at))).join('  ')}`.trimEnd())
}

/** The change of status, or of other members from the supplementary text. */
function changeOf({ statusChange, supplementaryText }: TraceLine): string {
  if (statusChange) return `${statusChange.oldStatus.code} → ${statusChange.newStatus.code}`
  return supplementaryText
    .replace(/^Changed: (.*)\.$/, '$1')
    .replace(/^Old value: (.*)\. New value: (.*)\.$/, '$1 → $2')
}

/** Prints the present and the former devices at a patient's home. */
export async function printDevicesAtHome(as: ClientOf, world: World): Promise<void> {
  const { name, patient } = receivers.asta
  const { order } = as('MonitoringResponsible', 'aarhus')
  printHeading(
    `What ${name} has at home`,
    'GET /ssl-order/v1/order-lines?patient=…&inUse=true, then inUse=false'
  )
  for (const inUse of [true, false])
    for (const { device } of await order.listOrderLine({ patient, inUse }).all())
      if (device) printEvent(inUse ? 'in use' : 'ended', describe(device, world))
}

function describe(
  { item, serialNumber, from, until, endReason }: NonNullable<OrderLine['device']>,
  world: World
): string {
  const end = until ? `, until ${until.slice(0, 10)}: ${endReason?.code}` : ''
  return `${itemName(item, world)}, serial number ${serialNumber}, from ${from.slice(0, 10)}${end}`
}

function itemName(url: string, { items }: World): string {
  const key = (Object.keys(items) as ItemKey[]).find((each) => items[each] === url)
  return key ? nameOf(key) : url
}
