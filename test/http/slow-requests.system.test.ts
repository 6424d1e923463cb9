import { once } from 'node:events'
import { connect } from 'node:net'
import t from 'tap'
import { unsignedToken } from '../../src/platform/auth/tokens/unsigned-token.js'
import { cloneDatabase } from '../fixtures/app.js'
import { startServer } from '../fixtures/server.js'
import { orders, organization } from '../fixtures/world.js'

t.test('requests that trickle in delay no other request and end with 408', async (t) => {
  const server = await startServer(t, { DATABASE_URL: await cloneDatabase(t), REQUEST_TIMEOUT: '4000' })
  await server.ready()
  const { hostname, port } = new URL(server.url)
  const token = unsignedToken({ userType: 'MonitoringResponsible', organization: organization('region') })
  const head = `POST ${orders}/order HTTP/1.1\r\nhost: localhost\r\nauthorization: ${token}\r\n`
  const beginnings = [
    'GET / HT',
    head,
    `${head}content-type: application/json\r\ncontent-length: 1000\r\n\r\n{"na`,
    `${head}content-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n1\r\n{\r\n`
  ]
  const connected: Promise<unknown>[] = []
  const slow = Array.from({ length: 200 }, (_, at) => {
    const socket = connect(Number(port), hostname)
    const chunks: string[] = []
    socket.on('data', (chunk) => chunks.push(String(chunk)))
    socket.on('error', () => {})
    connected.push(once(socket, 'connect'))
    socket.write(beginnings[at % beginnings.length] ?? '')
    const trickle = setInterval(() => socket.writable && socket.write('a'), 1000)
    const closed = once(socket, 'close').then(() => {
      clearInterval(trickle)
      return chunks.join('')
    })
    t.teardown(() => socket.destroy())
    return closed
  })
  await Promise.all(connected)
  for (let at = 0; at < 20; at++) {
    const response = await fetch(`${server.url}${orders}/parties`, { headers: { authorization: token } })
    t.equal(response.status, 200)
    await response.arrayBuffer()
  }
  const responses = await Promise.all(slow)
  for (const [at, response] of responses.entries())
    t.match(response, at % 4 === 0 ? /^HTTP\/1.1 400/ : /^HTTP\/1.1 408/, `${at % 4} got its status`)
  t.notMatch(server.output(), /too much|busy/i)
})
