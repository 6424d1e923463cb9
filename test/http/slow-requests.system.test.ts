import { once } from 'node:events'
import t from 'tap'
import { cloneDatabase } from '../fixtures/app.js'
import { tokenOf } from '../fixtures/callers.js'
import { readyServer } from '../fixtures/server.js'
import { wire } from '../fixtures/wire.js'
import { orders } from '../fixtures/world.js'

t.test('slow requests delay no other request and end with 408', async (t) => {
  const server = await readyServer(t, { DATABASE_URL: await cloneDatabase(t), REQUEST_TIMEOUT: '4000' })
  const { port } = new URL(server.url)
  const token = tokenOf('MonitoringResponsible')
  const head = `POST ${orders}/order HTTP/1.1\r\nhost: localhost\r\nauthorization: ${token}\r\n`
  const beginnings = [
    'GET / HT',
    head,
    `${head}content-type: application/json\r\ncontent-length: 1000\r\n\r\n{"na`,
    `${head}content-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n1\r\n{\r\n`
  ]
  const connections = Array.from({ length: 200 }, () => wire(t, Number(port)))
  await Promise.all(connections.map(({ socket }) => once(socket, 'connect')))
  const slow = connections.map(({ socket, send, closed }, at) => {
    send(beginnings[at % beginnings.length] ?? '')
    const trickle = setInterval(() => socket.writable && send('a'), 1000)
    return closed().finally(() => clearInterval(trickle))
  })
  for (let at = 0; at < 20; at++) {
    const response = await fetch(`${server.url}${orders}/parties`, { headers: { authorization: token } })
    t.equal(response.status, 200)
    await response.arrayBuffer()
  }
  const responses = await Promise.all(slow)
  for (const [at, response] of responses.entries())
    t.match(response, [{ status: at % 4 === 0 ? 400 : 408 }], `${at % 4} got its status`)
  t.notMatch(server.output(), /too much|busy/i)
})
