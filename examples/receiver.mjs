import { createServer } from 'node:http'
import { Webhook } from 'standardwebhooks'

const { SECRET, PORT = '8080' } = process.env

const seen = new Set()
const server = createServer(async (request, response) => {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  let event
  try {
    event = new Webhook(SECRET).verify(Buffer.concat(chunks), request.headers)
  } catch {
    response.writeHead(401).end()
    return
  }
  // Store the id with what you do for the event: it may come again.
  if (!seen.has(event.id)) {
    seen.add(event.id)
    console.log(event.type, event.subject, event.data.newStatus ?? '')
  }
  response.writeHead(204).end()
})
server.listen(Number(PORT), '127.0.0.1')
