import type { Order } from '../../src/order/model/order.schemas.js'
import type { Parties } from './agreements.js'
import { type ItemKey, relatedTo } from './catalogue-data.js'
import type { Items } from './catalogues.js'
import { nameOf } from './choice.js'
import { type Caller, pathOf } from './client.js'
import { parties, people, receivers } from './data.js'
import { type OrderRow, orders, type Step } from './order-data.js'
import { heading, tell } from './print.js'
import { isIdentified, orderApi, type Stage } from './stage.js'

/** An order whose story is being played. */
interface Played {
  row: OrderRow
  order: string
  lines: Map<ItemKey, string>
}

/**
 * Plays the story of each order, unless an earlier run did: then it says what became of it. One whose story was interrupted
 * is not continued, but ordered again. Answers the addresses by key.
 */
export async function orderAll(
  stage: Stage,
  addresses: Parties,
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
    const known = await findPlayed(stage, nurse, row, addresses)
    const order = known ?? (await play(stage, nurse, row, addresses, items))
    found.set(row.key, order)
    await report(stage, row, order, known === undefined ? 'now' : 'found')
  }
  return found
}

/** The address of the order whose story was played to its end. */
async function findPlayed(
  { addressOf }: Stage,
  nurse: Caller,
  row: OrderRow,
  addresses: Parties
): Promise<string | undefined> {
  const isOwn = isIdentified(identifierOf(row))
  const notes = 1 + row.steps.filter(({ note }) => note !== undefined).length
  const list = `${orderApi}/orders?buyer=${encodeURIComponent(addresses[row.buyer])}`
  for await (const order of nurse.list<Order>(list)) {
    const isOver = order.notes.length >= notes && reached(order.status.code) >= reached(row.ends)
    if (!isOwn(order) || !isOver) continue
    const address = addressOf(orderApi, 'order', order.id)
    if ((await countLines(nurse, address)) >= row.lines.length) return address
  }
  return undefined
}

/** How far an order in this status is. */
const reached = (status: string) =>
  ['DRAFT', 'SUBMITTED', 'ACCEPTED', 'FULFILLED', 'REJECTED', 'CANCELLED'].indexOf(status)

async function countLines(nurse: Caller, order: string): Promise<number> {
  let count = 0
  for await (const _ of nurse.list(`${orderApi}/order-lines?order=${encodeURIComponent(order)}`)) count++
  return count
}

const identifierOf = ({ buyer, number }: OrderRow) => ({
  system: `https://${buyer}.example/rekvisition`,
  value: number
})

/** Says where an order stands, and whether its provider sees it. */
async function report(stage: Stage, row: OrderRow, order: string, how: string): Promise<void> {
  const { status, notes } = await stage.as('MonitoringResponsible', row.buyer).get<Order>(pathOf(order))
  const seen = await stage.as('Provider', row.seller).knows(order)
  const provider = people[row.seller].Provider
  tell(how, `${status.code}, notes: ${notes.length}, ${provider} ${seen ? 'sees it' : 'gets 404'}`, order)
}

async function play(
  stage: Stage,
  nurse: Caller,
  row: OrderRow,
  addresses: Parties,
  items: Items
): Promise<string> {
  const order = await nurse.create(`${orderApi}/order`, draftOf(row, addresses))
  tell('new', `${row.name} (DRAFT)`, order)
  const lineOf = ({ item, action }: OrderRow['lines'][number]) => ({ order, item: items[item], action })
  const lines: Played['lines'] = new Map()
  for (const line of row.lines) {
    const address = await nurse.create(`${orderApi}/order-line`, lineOf(line))
    lines.set(line.item, address)
    tell('new', `line: ${nameOf(line.item)} (${line.action})`, address)
    const device = relatedTo(line.item)
    if (device) tell('', `for device model: ${nameOf(device)}`, items[device])
  }
  if (row.refused) {
    const code = await nurse.tryInVain(`${orderApi}/order-line`, lineOf(row.refused))
    tell('refused', `line: ${nameOf(row.refused.item)} (${row.refused.action}), 422 ${code}`)
  }
  for (const step of row.steps) await take(stage, { row, order, lines }, step)
  return order
}

function draftOf(row: OrderRow, addresses: Parties): object {
  const { buyer, seller, name, receiver, note } = row
  return {
    identifiers: [identifierOf(row)],
    name,
    buyer: addresses[buyer],
    seller: addresses[seller],
    receiver: receivers[receiver],
    notes: [{ note }]
  }
}

/** Takes a step: one JSON Patch, to the order or to one of its lines. */
async function take(stage: Stage, { row, order, lines }: Played, step: Step): Promise<void> {
  const { by, to, line, priority, note } = step
  const [caller, who] =
    by === 'buyer'
      ? [stage.as('MonitoringResponsible', row.buyer), people[row.buyer].MonitoringResponsible]
      : [stage.as('Provider', row.seller), people[row.seller].Provider]
  await caller.patch((line && lines.get(line)) ?? order, [
    ...(priority === undefined ? [] : [{ op: 'replace', path: '/priority', value: priority }]),
    ...(note === undefined ? [] : [{ op: 'add', path: '/notes/-', value: { note } }]),
    ...(to === undefined ? [] : [{ op: 'replace', path: '/status/code', value: to }])
  ])
  if (priority !== undefined) tell('changed', `${who}: priority ${priority}`)
  if (to !== undefined) tell('moved', `${who}: ${line ? nameOf(line) : 'order'} → ${to}`)
  if (note !== undefined) tell('note', `${who}: “${note}”`)
}
