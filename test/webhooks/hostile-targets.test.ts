import { getEventListeners, once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import t from 'tap'
import { resultClassOf } from '../../src/webhooks/delivery/delivery-metrics.js'
import { createSender } from '../../src/webhooks/delivery/sender.js'
import { createTargets } from '../../src/webhooks/targets.js'

/** Targets that misbehave on purpose. Each attempt ends, and reads a bounded number of bytes. */

const never = new AbortController().signal
const ok = 'HTTP/1.1 200 OK\r\n'

/** A target that handles each connection itself, and an attempt to deliver to it. */
async function hostile(handle: (socket: Socket) => void, timeoutMs = 60_000, signal = never) {
  const ended: Promise<number>[] = []
  const server = createServer((socket) => {
    socket.on('error', () => {})
    ended.push(new Promise((resolve) => socket.on('close', () => resolve(socket.bytesWritten))))
    socket.once('data', () => handle(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const sender = createSender({ targets: createTargets([{ origin }]), timeoutMs })
  const delivery = { target: `${origin}/`, headers: { 'content-type': 'text/plain' }, body: 'x' }
  const { result, retryAfterMs } = await sender.send(delivery, signal)
  server.close()
  // An idle connection stays open for the next delivery.
  await sender.close()
  const sentBytes = (await Promise.all(ended)).reduce((sum, bytes) => sum + bytes, 0)
  return { result, retryAfterMs, connections: ended.length, sentBytes }
}

/** Writes a text every five milliseconds. */
function drip(socket: Socket, text: string): void {
  const timer = setInterval(() => socket.write(text), 5)
  socket.on('close', () => clearInterval(timer))
}

/** Writes a beginning, and then a text repeatedly, as fast as the client reads it. */
const endless = (beginning: string, text: string) => (socket: Socket) => {
  const write = () => {
    while (!socket.destroyed && socket.write(text));
    if (!socket.destroyed) socket.once('drain', write)
  }
  socket.write(beginning)
  write()
}
const many = 'x'.repeat(0x10000)

type Case = [target: string, result: string, handle: (socket: Socket) => unknown, timeoutMs?: number]
const cases: Case[] = [
  [
    'a response without end',
    'DELIVERED',
    endless(`${ok}transfer-encoding: chunked\r\n\r\n`, `10000\r\n${many}\r\n`)
  ],
  [
    'a response of gigabytes',
    'STATUS_500',
    endless(`HTTP/1.1 500 Oh\r\ncontent-length: ${64 * 1024 ** 3}\r\n\r\n`, many)
  ],
  ['headers without end', 'CONNECTION_FAILED', endless(ok, `x-more: ${'x'.repeat(1000)}\r\n`)],
  ['one header without end', 'CONNECTION_FAILED', endless(`${ok}x-long: `, many)],
  [
    'informational responses without end',
    'TIMEOUT',
    (socket) => drip(socket, 'HTTP/1.1 103 Early Hints\r\n\r\n'),
    500
  ],
  [
    'one byte at a time',
    'TIMEOUT',
    (socket) => {
      socket.write(`${ok}x-slow: `)
      drip(socket, 'x')
    },
    500
  ],
  ['no response', 'TIMEOUT', () => {}, 500],
  ['a connection that is reset', 'CONNECTION_FAILED', (socket) => socket.resetAndDestroy()],
  ...[
    ...['', 'HTTP/1.1 200', `${ok}content-le`, 'SSH-2.0-OpenSSH_9.2\r\n', 'HTTP/1.1 2000 OK\r\n\r\n'],
    'HTTP/1.1 101 Switching\r\nupgrade: x\r\n\r\n',
    `${ok}content-length: 1\r\ncontent-length: 2\r\n\r\n`
  ].map(
    (sent): Case => [`${JSON.stringify(sent)} and the end`, 'CONNECTION_FAILED', (socket) => socket.end(sent)]
  ),
  ['a body that stalls', 'DELIVERED', (socket) => socket.write(`${ok}content-length: 10\r\n\r\nx`), 500],
  ['a body that is cut', 'DELIVERED', (socket) => socket.end(`${ok}content-length: 10\r\n\r\nx`)]
]
for (const [target, result, handle, timeoutMs = 60_000] of cases)
  t.test(`an attempt at ${target} is ${result}, and reads little`, async (t) => {
    let attempt = await hostile(handle, timeoutMs)
    // A machine too slow to receive the status in time gets a longer timeout.
    const isTooEarly = () => attempt.result === 'TIMEOUT' && result !== 'TIMEOUT'
    for (let longerMs = timeoutMs * 4; isTooEarly() && longerMs < 100_000; longerMs *= 4)
      attempt = await hostile(handle, longerMs)
    t.equal(attempt.result, result)
    t.ok(attempt.sentBytes < 50 * 1024 ** 2, `${attempt.sentBytes} bytes`)
    t.equal(attempt.connections, 1, 'an attempt is one request')
  })

t.test('an attempt leaves no listener on the signal of the server', async (t) => {
  const during: number[] = []
  const count = () => getEventListeners(never, 'abort').length
  await hostile((socket) => {
    during.push(count())
    socket.end(`${ok}content-length: 0\r\n\r\n`)
  })
  await hostile(() => during.push(count()), 500)
  t.same([...during, count()], [1, 1, 0])
})

t.test('an attempt ends when the server closes', async (t) => {
  const closing = new AbortController()
  t.equal((await hostile(() => closing.abort(), 60_000, closing.signal)).result, 'ABORTED')
  t.equal((await hostile(() => {}, 60_000, closing.signal)).result, 'ABORTED')
})

t.test('a redirect is a failure, and is not followed', async (t) => {
  const locations = ['/', 'http://169.254.169.254/', 'http://[::1]/', '//localhost/', 'file:///etc/passwd']
  for (const location of locations)
    for (const status of [301, 302, 303, 307, 308]) {
      const response = `HTTP/1.1 ${status} Moved\r\nlocation: ${location}\r\ncontent-length: 0\r\n\r\n`
      const { result, connections } = await hostile((socket) => socket.end(response))
      t.equal(result, `STATUS_${status}`, location)
      t.equal(connections, 1)
    }
})

t.test('bounds the delay of an invalid or endless Retry-After', async (t) => {
  for (const text of ['999999999999', 'Fri, 31 Dec 275759 23:59:59 GMT', '-1', 'x'.repeat(4000)]) {
    const response = `HTTP/1.1 503 Busy\r\nretry-after: ${text}\r\ncontent-length: 0\r\n\r\n`
    const { result, retryAfterMs = 0 } = await hostile((socket) => socket.end(response))
    t.equal(result, 'STATUS_503')
    t.ok(Number.isSafeInteger(retryAfterMs), text.slice(0, 40))
  }
})

t.test('the metrics count an unknown HTTP status by its first digit', async (t) => {
  for (const status of ['500', '600', '999']) {
    const response = `HTTP/1.1 ${status} Own\r\ncontent-length: 0\r\n\r\n`
    const { result } = await hostile((socket) => socket.end(response))
    t.equal(result, `STATUS_${status}`)
    t.equal(resultClassOf(result), `STATUS_${status.charAt(0)}XX`)
  }
})
