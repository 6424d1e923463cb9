import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import t from 'tap'
import { resultClassOf } from '../../src/event-feed/webhooks/delivery/delivery-metrics.js'
import { createSender } from '../../src/event-feed/webhooks/delivery/sender.js'
import { createTargets } from '../../src/event-feed/webhooks/targets.js'

/** Targets that misbehave on purpose. Each attempt ends, and reads a bounded number of bytes. */

const never = new AbortController().signal
const ok = 'HTTP/1.1 200 OK\r\n'

/** A target that handles each connection itself, and an attempt to deliver to it. */
async function hostile(handle: (socket: Socket) => void, timeoutMs = 60_000) {
  const ended: Promise<number>[] = []
  const server = createServer((socket) => {
    socket.on('error', () => {})
    ended.push(new Promise((resolve) => socket.on('close', () => resolve(socket.bytesWritten))))
    socket.once('data', () => handle(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const sender = createSender({ targets: createTargets([origin]), timeoutMs })
  const delivery = { target: `${origin}/`, headers: { 'content-type': 'text/plain' }, body: 'x' }
  const { result, retryAfterMs } = await sender.send(delivery, never)
  server.close()
  // An idle connection stays open for the next delivery.
  await sender.close()
  const sentBytes = (await Promise.all(ended)).reduce((sum, bytes) => sum + bytes, 0)
  return { result, retryAfterMs, connections: ended.length, sentBytes }
}

/** Writes a text again and again, as fast as it is read. */
function writeForever(socket: Socket, text: string): void {
  const write = () => {
    while (!socket.destroyed && socket.write(text));
    if (!socket.destroyed) socket.once('drain', write)
  }
  write()
}

const megabytes = (bytes: number) => bytes / 1024 ** 2

t.test('a response without end', async (t) => {
  const { result, sentBytes } = await hostile((socket) => {
    socket.write(`${ok}transfer-encoding: chunked\r\n\r\n`)
    writeForever(socket, `10000\r\n${'x'.repeat(0x10000)}\r\n`)
  })
  t.equal(result, 'DELIVERED', 'the status decides')
  t.ok(megabytes(sentBytes) < 50, 'it is not read on')
})

t.test('a response of gigabytes', async (t) => {
  const { result, sentBytes } = await hostile((socket) => {
    socket.write(`HTTP/1.1 500 Oh\r\ncontent-length: ${64 * 1024 ** 3}\r\n\r\n`)
    writeForever(socket, 'x'.repeat(0x10000))
  })
  t.equal(result, 'STATUS_500')
  t.ok(megabytes(sentBytes) < 50, 'it is not read on')
})

t.test('headers without end', async (t) => {
  const { result, sentBytes } = await hostile((socket) => {
    socket.write(ok)
    writeForever(socket, `x-more: ${'x'.repeat(1000)}\r\n`)
  })
  t.equal(result, 'CONNECTION_FAILED')
  t.ok(megabytes(sentBytes) < 50, 'they are not read on')
})

t.test('one header without end', async (t) => {
  const { result } = await hostile((socket) => {
    socket.write(`${ok}x-long: `)
    writeForever(socket, 'x'.repeat(0x10000))
  })
  t.equal(result, 'CONNECTION_FAILED')
})

t.test('informational responses without end', async (t) => {
  const handle = (socket: Socket) => {
    const timer = setInterval(() => socket.write('HTTP/1.1 103 Early Hints\r\n\r\n'), 5)
    socket.on('close', () => clearInterval(timer))
  }
  t.equal((await hostile(handle, 500)).result, 'TIMEOUT')
})

t.test('one byte at a time', async (t) => {
  const handle = (socket: Socket) => {
    const timer = setInterval(() => socket.write('x'), 5)
    socket.write(`${ok}x-slow: `)
    socket.on('close', () => clearInterval(timer))
  }
  t.equal((await hostile(handle, 500)).result, 'TIMEOUT')
})

t.test('no response', async (t) => {
  t.equal((await hostile(() => {}, 500)).result, 'TIMEOUT')
})

t.test('a connection that is closed early', async (t) => {
  const parts = ['', 'HTTP/1.1 200', `${ok}content-le`]
  for (const part of parts) t.equal((await hostile((socket) => socket.end(part))).result, 'CONNECTION_FAILED')
  const reset = await hostile((socket) => socket.resetAndDestroy())
  t.equal(reset.result, 'CONNECTION_FAILED')
  t.equal(reset.connections, 1, 'an attempt is one request')
  const cut = await hostile((socket) => socket.end(`${ok}content-length: 10\r\n\r\nx`))
  t.equal(cut.result, 'DELIVERED', 'the status decides')
})

t.test('what is no response', async (t) => {
  const texts = [
    ...[
      'SSH-2.0-OpenSSH_9.2\r\n',
      'HTTP/1.1 2000 OK\r\n\r\n',
      'HTTP/1.1 101 Switching\r\nupgrade: x\r\n\r\n'
    ],
    `${ok}content-length: 1\r\ncontent-length: 2\r\n\r\n`
  ]
  for (const text of texts) t.equal((await hostile((socket) => socket.end(text))).result, 'CONNECTION_FAILED')
})

t.test('a redirect into the network', async (t) => {
  for (const location of ['http://169.254.169.254/', 'http://[::1]/', '//localhost/', 'file:///etc/passwd'])
    for (const status of [301, 302, 303, 307, 308]) {
      const response = `HTTP/1.1 ${status} Moved\r\nlocation: ${location}\r\ncontent-length: 0\r\n\r\n`
      const { result, connections } = await hostile((socket) => socket.end(response))
      t.equal(result, `STATUS_${status}`, location)
      t.equal(connections, 1)
    }
})

t.test('a Retry-After without end', async (t) => {
  for (const text of ['999999999999', 'Fri, 31 Dec 275759 23:59:59 GMT', '-1', 'x'.repeat(4000)]) {
    const response = `HTTP/1.1 503 Busy\r\nretry-after: ${text}\r\ncontent-length: 0\r\n\r\n`
    const { result, retryAfterMs = 0 } = await hostile((socket) => socket.end(response))
    t.equal(result, 'STATUS_503')
    t.ok(Number.isSafeInteger(retryAfterMs), text.slice(0, 40))
  }
})

t.test('a status that HTTP does not know is measured by its first digit', async (t) => {
  for (const status of ['500', '600', '999']) {
    const response = `HTTP/1.1 ${status} Own\r\ncontent-length: 0\r\n\r\n`
    const { result } = await hostile((socket) => socket.end(response))
    t.equal(result, `STATUS_${status}`)
    t.equal(resultClassOf(result), `STATUS_${status.charAt(0)}XX`)
  }
})
