import { makeAssortment } from './agree/assortment.js'
import { maker } from './agree/caller.js'
import { orderMaker } from './agree/orders.js'
import { agreeOnDetails, agreeOnLists, agreeOnSearch } from './agree/reads.js'
import { type Servers, startServers } from './agree/servers.js'
import { makeTrade } from './agree/trade.js'
import { agreeOnAcceptance, agreeOnBulk } from './agree/writes.js'

/*
 * Whether the other servers answer what the product answers: starts all of them on one new database, makes a small world through
 * the product, and fails where an answer, or what a write leaves behind, differs.
 */

/** Enough for a second page of a hundred. */
const submittedOrders = 105

/** In the first one a server may still be opening its connections, and so do one thing after the other. */
const rounds = 3

async function agree(servers: Servers): Promise<void> {
  const make = maker(servers.origin('product'))
  const trade = await makeTrade(make)
  const items = await makeAssortment(make, trade)
  const orders = orderMaker(make, trade, items)
  const eventful = await orders.eventful()
  const submitted: string[] = []
  for (let at = 0; at < submittedOrders; at++) submitted.push(await orders.submitted())

  await agreeOnDetails(servers, [eventful, ...submitted.slice(0, 3)], await orders.deleted())
  await agreeOnSearch(servers, trade.buyer)
  await agreeOnLists(servers, trade.seller, submittedOrders + 1)
  for (let round = 0; round < rounds; round++) await agreeOnAcceptance(servers, trade, orders.submitted)
  await agreeOnBulk(servers, trade)
}

const servers = await startServers()
try {
  await agree(servers)
  console.log('All servers answer alike.')
} catch (error) {
  console.error(error instanceof Error ? error.message.slice(0, 5000) : error)
  process.exitCode = 1
} finally {
  await servers.stop()
}
