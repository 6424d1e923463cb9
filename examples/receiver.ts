// A program subscribes to events, and prints the deliveries until it is stopped. TOKEN is the token
// of any user. The server runs with EVENT_TARGETS=http://127.0.0.1:8080.

import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import { Webhook } from 'standardwebhooks'
import type { CloudEvent, SubscriptionInput } from '../clients/typescript/src/index.js'
import { order } from './connect.js'

const { PORT = '8080', TYPES = 'order.created,order.submitted,order.status-changed' } = process.env
const target = `http://127.0.0.1:${PORT}/`
const types = TYPES.split(',') as SubscriptionInput['types']
const secret = `whsec_${randomBytes(32).toString('base64')}`

const seen = new Set<string>()
const server = createServer(async (request, response) => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  let event: CloudEvent
  try {
    const headers = request.headers as Record<string, string>
    event = new Webhook(secret).verify(Buffer.concat(chunks), headers) as CloudEvent
  } catch {
    response.writeHead(401).end()
    return
  }
  // Store the id together with the effect of the event, because an event may be delivered again.
  if (!seen.has(event.id)) {
    seen.add(event.id)
    console.log(event.type, event.subject, event.data.newStatus ?? '')
  }
  response.writeHead(204).end()
})
server.listen(Number(PORT), '127.0.0.1')

const { id } = await order.createSubscription({ target, types, secret })
console.log(`Listening at ${target} with subscription ${id}`)
for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, () => order.deleteSubscription(id).finally(() => process.exit()))
