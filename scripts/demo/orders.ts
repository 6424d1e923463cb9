import {
  idOf,
  type Order,
  type OrderInput,
  type OrderLine,
  type PatchOf,
  type SslClient
} from '../../clients/typescript/src/index.js'
import type { Parties } from './agreements.js'
import { type ItemKey, nameOf, relatedTo } from './catalogue-data.js'
import type { Items } from './catalogues.js'
import { refusalOf } from './client.js'
import { parties, people, receivers } from './data.js'
import { dayIn, timeIn } from './dates.js'
import { type OrderRow, orders, type Step } from './order-data.js'
import { heading, printEvent } from './print.js'
import { hasIdentifier, orderApi, type Stage } from './stage.js'

/** An order being processed. */
interface PlacedOrder {
  row: OrderRow
  order: string
  lines: Map<ItemKey, string>
}

/** What an order refers to. */
interface Placing {
  partyUrls: Parties
  items: Items
  /** URLs of the orders so far, by key. */
  found: ReadonlyMap<string, string>
}

/**
 * Places and processes each order, unless an earlier run did. An order whose processing was
 * interrupted is not continued, but placed again.
 * @returns the URLs by key.
 */
export async function placeOrders(
  stage: Stage,
  partyUrls: Parties,
  items: Items
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>()
  for (const row of orders) {
    const { MonitoringResponsible: nurseName } = people[row.buyer]
    heading(
      `Order ${row.number}. ${row.title}`,
      `${nurseName}, ${parties[row.buyer].name}, orders from ${parties[row.seller].name} for ${receivers[row.receiver].name}`
    )
    const nurse = stage.as('MonitoringResponsible', row.buyer)
    const known = await findPlaced(stage, nurse, row, partyUrls)
    const order = known ?? (await placeOrder(stage, nurse, row, { partyUrls, items, found }))
    found.set(row.key, order)
    await printState(stage, row, order, known === undefined ? 'now' : 'found')
  }
  return found
}

/** The URL of the completely processed order of an earlier run. */
async function findPlaced(
  { urlOf }: Stage,
  { order: api }: SslClient,
  row: OrderRow,
  partyUrls: Parties
): Promise<string | undefined> {
  const isSame = hasIdentifier(identifierOf(row))
  const notes = 1 + row.steps.filter(({ note }) => note !== undefined).length
  for await (const order of api.listOrder({ buyer: partyUrls[row.buyer] })) {
    const isComplete =
      order.notes.length >= notes && progressOf(order.status.code) >= progressOf(row.finalStatus)
    if (!isSame(order) || !isComplete) continue
    const url = urlOf(orderApi, 'order', order.id)
    if ((await api.listOrderLine({ order: url }).all()).length >= row.lines.length) return url
  }
  return undefined
}

/** The position of a status in the process. */
const progressOf = (status: string) =>
  ['DRAFT', 'SUBMITTED', 'ACCEPTED', 'FULFILLED', 'REJECTED', 'CANCELLED'].indexOf(status)

const identifierOf = ({ buyer, number }: OrderRow) => ({
  system: `https://${buyer}.example/rekvisition`,
  value: number
})

/** Prints the state of an order, and whether its provider sees it. */
async function printState(stage: Stage, row: OrderRow, order: string, how: string): Promise<void> {
  const id = idOf(order)
  const { number, status, notes } = (await stage.as('MonitoringResponsible', row.buyer).order.getOrder(id))
    .data
  const refusal = await refusalOf(stage.as('Provider', row.seller).order.getOrder(id))
  const provider = people[row.seller].Provider
  printEvent(
    how,
    `${number}, ${status.code}, notes: ${notes.length}, ${provider} ${refusal === undefined ? 'sees it' : 'gets 404'}`,
    order
  )
}

async function placeOrder(
  stage: Stage,
  nurse: SslClient,
  row: OrderRow,
  { partyUrls, items, found }: Placing
): Promise<string> {
  const { order: api } = nurse
  const lineOf = async ({ item, action, about }: OrderRow['lines'][number]) => ({
    item: items[item],
    action,
    relatedTo: about && (await findLine(stage, nurse, found.get(about.order) ?? '', items[about.item]))
  })
  const { url: order, id } = await api.createOrder({
    ...draftOf(row, partyUrls),
    orderLines: await Promise.all(row.lines.map(lineOf))
  })
  printEvent('new', `${row.name} (DRAFT)`, order)
  if (row.latestInDays !== undefined) printEvent('', `wished by ${dayIn(row.latestInDays)}`)
  const { orderLines } = (await api.getOrderDetails(id)).data
  const lines: PlacedOrder['lines'] = new Map()
  for (const [at, line] of row.lines.entries()) {
    const address = stage.urlOf(orderApi, 'order-line', orderLines[at]?.id ?? '')
    lines.set(line.item, address)
    printEvent('new', `line: ${nameOf(line.item)} (${line.action})`, address)
    const device = relatedTo(line.item)
    if (line.about) printEvent('', `about the device of order ${numberOf(line.about.order)}`)
    else if (device) printEvent('', `for device model: ${nameOf(device)}`, items[device])
  }
  if (row.refused) {
    const code = await refusalOf(api.createOrderLine({ order, ...(await lineOf(row.refused)) }))
    printEvent('refused', `line: ${nameOf(row.refused.item)} (${row.refused.action}), 422 ${code}`)
  }
  for (const step of row.steps) await applyStep(stage, { row, order, lines }, step)
  return order
}

/** The URL of the line of an order that has this item. */
async function findLine(
  { urlOf }: Stage,
  { order: api }: SslClient,
  order: string,
  item: string
): Promise<string | undefined> {
  const lines = await api.listOrderLine({ order }).all()
  const line = lines.find((each) => each.item === item)
  return line && urlOf(orderApi, 'order-line', line.id)
}

const numberOf = (key: string) => orders.find((each) => each.key === key)?.number

function draftOf(row: OrderRow, partyUrls: Parties): OrderInput {
  const { buyer, seller, name, receiver, note, latestInDays } = row
  return {
    identifiers: [identifierOf(row)],
    name,
    buyer: partyUrls[buyer],
    seller: partyUrls[seller],
    receiver: receivers[receiver],
    notes: [{ note }],
    latestDeliveryDate: latestInDays === undefined ? null : dayIn(latestInDays)
  }
}

/** Applies a step by JSON Patches of the order, or of a line. */
async function applyStep(stage: Stage, { row, order, lines }: PlacedOrder, step: Step): Promise<void> {
  const { by, priority, note, awaits, agreed } = step
  const [caller, who] =
    by === 'buyer'
      ? [stage.as('MonitoringResponsible', row.buyer), people[row.buyer].MonitoringResponsible]
      : [stage.as('Provider', row.seller), people[row.seller].Provider]
  const change: PatchOf<Order>[] = [
    ...(priority === undefined ? [] : [{ op: 'replace', path: '/priority', value: priority } as const]),
    ...(note === undefined ? [] : [{ op: 'add', path: '/notes/-', value: { note } } as const]),
    ...(awaits === undefined ? [] : [{ op: 'add', path: '/awaiting', value: awaits } as const])
  ]
  if (step.line) {
    const line = idOf(lines.get(step.line) ?? '')
    await caller.order.patchOrderLine(line, lineChange(step))
  }
  if (!step.line && step.to) change.push({ op: 'replace', path: '/status/code', value: step.to })
  if (change.length > 0) await caller.order.patchOrder(idOf(order), change)
  if (priority !== undefined) printEvent('changed', `${who}: priority ${priority}`)
  if (step.line && agreed)
    printEvent('agreed', `${who}: ${nameOf(step.line)}, ${dayIn(agreed.inDays)} ${agreed.from}–${agreed.to}`)
  if (step.device) printEvent('', `serial number ${step.device.serialNumber}, lot ${step.device.lotNumber}`)
  if (step.to) printEvent('moved', `${who}: ${step.line ? nameOf(step.line) : 'order'} → ${step.to}`)
  if (note !== undefined) printEvent('note', `${who}: “${note}”${awaits ? `, awaits the ${awaits}` : ''}`)
}

/** The JSON Patch of a line: an agreed time, or a move with the numbers of the device and its receiver. */
const lineChange = ({ agreed, to, device, receivedBy }: Step & { line: ItemKey }): PatchOf<OrderLine>[] =>
  agreed
    ? [
        { op: 'add', path: '/agreedFrom', value: timeIn(agreed.inDays, agreed.from) },
        { op: 'add', path: '/agreedTo', value: timeIn(agreed.inDays, agreed.to) }
      ]
    : [
        { op: 'replace', path: '/status/code', value: to },
        ...(device ? [{ op: 'add', path: '/device', value: device } as const] : []),
        ...(receivedBy ? [{ op: 'add', path: '/receivedBy', value: receivedBy } as const] : [])
      ]
