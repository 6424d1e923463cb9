import { once } from 'node:events'
import type { Socket } from 'node:net'
import t from 'tap'
import { unsignedToken } from '../../src/home/unsigned-token.js'
import { testApp } from '../fixtures/app.js'
import { listening, wire } from '../fixtures/wire.js'
import { orders, organization } from '../fixtures/world.js'

const token = unsignedToken({ userType: 'AdministrativeClerk', organization: organization('region') })
const health = 'GET /health/live HTTP/1.1\r\nhost: x\r\n\r\n'
const nowhere = 'GET /nowhere HTTP/1.1\r\nhost: x\r\n\r\n'

function post(text: string, length = text.length, url = `${orders}/party`): string {
  return `POST ${url} HTTP/1.1\r\nhost: x\r\nauthorization: ${token}\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n${text}`
}

const party = (name: string) =>
  post(JSON.stringify({ allowedRoles: ['SELLER'], name, organization: organization(name) }))

t.test('connections', async (t) => {
  const { app, sql } = await testApp(t)
  const gates = new Map<string, () => void>()
  const begun: string[] = []
  const beginnings = new Map<string, () => void>()
  // Responds when its gate opens.
  app.get('/gate/:name', { config: { access: 'public' } }, async (request) => {
    const { name } = request.params as { name: string }
    begun.push(name)
    beginnings.get(name)?.()
    await new Promise<void>((resolve) => gates.set(name, resolve))
    return { name }
  })
  const begins = (name: string) => new Promise<void>((resolve) => beginnings.set(name, resolve))
  const gate = (name: string) => `GET /gate/${name} HTTP/1.1\r\nhost: x\r\n\r\n`
  const port = await listening(app)
  const parties = async () => (await sql`select name from parties order by name`).map(({ name }) => name)

  t.test('a request that cannot be read is refused after the responses before it', async (t) => {
    const { send, closed } = wire(t, port)
    send(`${health}${nowhere}${party('first')}nonsense\r\n\r\n`)
    t.same(
      (await closed()).map(({ status }) => status),
      [200, 404, 201, 400]
    )
    t.same(await parties(), ['first'])
  })

  t.test('refuses CONNECT after the responses before it', async (t) => {
    const { send, closed } = wire(t, port)
    send(`${health}CONNECT x:1 HTTP/1.1\r\nhost: x\r\n\r\n`)
    t.same(
      (await closed()).map(({ status }) => status),
      [200, 501]
    )
  })

  t.test('pipelined requests are processed one at a time', async (t) => {
    const [first, second] = [begins('a'), begins('b')]
    const { send, socket, closed } = wire(t, port)
    send(`${gate('a')}${gate('b')}`)
    socket.end(health)
    await first
    t.same(begun, ['a'])
    gates.get('a')?.()
    await second
    gates.get('b')?.()
    t.same(
      (await closed()).map(({ text }) => text),
      ['{"name":"a"}', '{"name":"b"}', '{"status":"ok"}']
    )
  })

  t.test('a connection that sends too many requests ahead is closed', async (t) => {
    const first = begins('g')
    const { send, closed } = wire(t, port)
    send(gate('g'))
    await first
    send(health.repeat(150))
    t.same(await closed(), [])
    gates.get('g')?.()
  })

  t.test('requests of a closed connection are not started', async (t) => {
    const [first, after] = [begins('c'), begins('e')]
    const connected = once(app.server, 'connection') as Promise<[Socket]>
    const { send, socket } = wire(t, port)
    send(`${gate('c')}${gate('d')}`)
    const [[serverSide]] = await Promise.all([connected, first])
    socket.resetAndDestroy()
    await new Promise((resolve) => serverSide.once('close', resolve))
    gates.get('c')?.()
    const other = wire(t, port)
    other.socket.end(gate('e'))
    await after
    gates.get('e')?.()
    await other.closed()
    t.notOk(begun.includes('d'))
  })

  t.test('a client that half-closes gets its response', async (t) => {
    const begins_ = begins('f')
    const { socket, closed } = wire(t, port)
    socket.end(gate('f'))
    await begins_
    gates.get('f')?.()
    t.match(await closed(), [{ status: 200, text: '{"name":"f"}' }])
  })

  t.test('a refusal of HEAD has no body', async (t) => {
    const { socket, received } = wire(t, port)
    socket.end('HEAD /nowhere HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\n{}')
    await once(socket, 'close')
    t.match(received(), /^HTTP\/1\.1 404 [\s\S]*content-length: [1-9]\d*\r\n[\s\S]*\r\n\r\n$/)
    t.equal(received().split('HTTP/1.1').length, 2)
  })

  t.test('a connection stays open after a refusal of a complete request', async (t) => {
    const { send, socket, until, closed } = wire(t, port)
    send(post('{}', 2, '/nowhere'))
    await until('not-found')
    socket.end(health)
    t.same(
      (await closed()).map(({ status, headers }) => [status, headers.connection]),
      [
        [404, 'keep-alive'],
        [200, 'keep-alive']
      ]
    )
  })

  t.test('a response before the end of the body closes the connection', async (t) => {
    const { send, until, closed } = wire(t, port)
    send(post('{"na', 1000, '/nowhere'))
    await until('not-found')
    // The rest of the body looks like a request.
    send(`${party('smuggled')}${health}`)
    t.match(await closed(), [{ status: 404, headers: { connection: 'close' } }])
    t.notOk((await parties()).includes('smuggled'))
  })

  t.test('a client that reads only after sending gets the refusal of its body', async (t) => {
    const { socket, closed } = wire(t, port)
    socket.pause()
    const large = Buffer.alloc(8_000_000, 'x')
    await new Promise<void>((resolve, reject) => {
      socket.once('error', reject)
      socket.write(post('', large.length))
      socket.write(large, () => resolve())
    })
    socket.resume()
    t.match(await closed(), [{ status: 413, body: { code: 'payload-too-large' } }])
  })
})
