import { idOf, type SslClient } from '../../clients/typescript/src/index.js'
import { type ItemKey, nameOf } from './catalogue-data.js'
import { type ClientOf, hasIdentifier, personOf, printEvent, printHeading } from './client.js'
import { parties, receivers } from './data.js'
import { type OrderRow, ordersIn } from './order-data.js'
import type { World } from './set-up.js'

/** The statuses of orders, from the first one to the final ones. */
const statuses = ['DRAFT', 'SUBMITTED', 'ACCEPTED', 'FULFILLED', 'REJECTED', 'CANCELLED']

/**
 * Creates and processes each order that no earlier run has completed.
 * @returns the URLs by number.
 */
export async function placeOrders(as: ClientOf, world: World): Promise<ReadonlyMap<string, string>> {
  const placed = new Map<string, string>()
  for (const row of ordersIn(world.timeZone)) {
    const { number, name, buyer, seller, receiver, finalStatus } = row
    const nurse = as('MonitoringResponsible', buyer)
    printHeading(
      `Order ${number}, ${name}`,
      `${personOf('MonitoringResponsible', buyer)} orders from ${parties[seller].name} for ${receivers[receiver].name}`
    )
    const earlier = await nurse.order.listOrder({ buyer: world.parties[buyer] }).all()
    const isSame = hasIdentifier(number)
    const isComplete = (code: string) => statuses.indexOf(code) >= statuses.indexOf(finalStatus)
    const known = earlier.find((each) => isSame(each) && isComplete(each.status.code))
    if (known) {
      placed.set(number, nurse.order.urlOf('order', known))
      printEvent('found', `${number} (${known.status.code})`, placed.get(number))
    } else placed.set(number, await placeOrder(as, nurse, row, world, placed))
  }
  return placed
}

async function placeOrder(
  as: ClientOf,
  { order: api }: SslClient,
  row: OrderRow,
  { parties: partyUrls, items }: World,
  placed: ReadonlyMap<string, string>
): Promise<string> {
  const { number, name, buyer, seller, receiver, note, latest = null, steps } = row
  const lineOf = async (order: string, item: ItemKey) => {
    const lines = await api.listOrderLine({ order }).all()
    const line = lines.find((each) => each.item === items[item])
    return api.urlOf('order-line', line ?? { id: '' })
  }
  const orderLines = row.lines.map(async ({ item, action, about }) => ({
    ...{ item: items[item], action },
    ...(about && { relatedTo: await lineOf(placed.get(about[0]) ?? '', about[1]) })
  }))
  const { url, id } = await api.createOrder({
    identifiers: [{ system: `https://${buyer}.example/rekvisition`, value: number }],
    ...{ name, buyer: partyUrls[buyer], seller: partyUrls[seller], receiver: receivers[receiver] },
    notes: [{ note }],
    latestDeliveryDate: latest,
    orderLines: await Promise.all(orderLines)
  })
  printEvent('new', `${name} (DRAFT)`, url)
  for (const { item, action } of row.lines)
    printEvent('new', `line: ${nameOf(item)} (${action})`, await lineOf(url, item))
  for (const step of steps) {
    const [userType, key] =
      step.by === 'buyer' ? (['MonitoringResponsible', buyer] as const) : (['Provider', seller] as const)
    const caller = as(userType, key).order
    if ('line' in step) await caller.patchOrderLine(idOf(await lineOf(url, step.line)), step.patch)
    else await caller.patchOrder(id, step.patch)
    const what = 'line' in step ? nameOf(step.line) : 'order'
    const changes = step.patch.map(
      (each) => `${each.path} ${'value' in each ? JSON.stringify(each.value) : ''}`
    )
    printEvent('changed', `${personOf(userType, key)}, ${what}: ${changes.join(', ')}`)
  }
  return url
}
