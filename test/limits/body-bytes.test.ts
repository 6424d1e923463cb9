import { setImmediate as turn } from 'node:timers/promises'
import Fastify, { type FastifyRequest } from 'fastify'
import t, { type Test } from 'tap'
import type { Call } from '../../src/platform/auth/call.js'
import { createSlotTable } from '../../src/platform/concurrency/slot-table.js'
import { checkBodySlot } from '../../src/platform/server/check-body.js'
import { beginRequest } from '../../src/platform/server/request-state.js'
import { untilDeadline } from '../../src/platform/server/until-deadline.js'
import { testApp } from '../fixtures/app.js'
import { tokenOf } from '../fixtures/callers.js'
import { nextOf } from '../fixtures/events/reading.js'
import { headOf, listenOnLoopback, type Wire, wire } from '../fixtures/wire.js'
import { catalogue, orders, organization } from '../fixtures/world.js'

const MIB = 1_048_576
const items = `${catalogue}/catalogue-items`
const excel = '/ssl-catalogue-excel/v1/catalogue'
const json = 'content-type: application/json'
const form = 'content-type: multipart/form-data; boundary=b'
const chunked = 'transfer-encoding: chunked'
const part = '--b\r\ncontent-disposition: form-data; name="file"; filename="a.xlsx"\r\n\r\n'

const { app, as } = await testApp(t, { RATE_LIMIT: '0' })
const port = await listenOnLoopback(app)

interface Sender {
  user?: string
  of?: string
}

/** Sends the head of a request with a body, and the beginning of the body. */
function begin(
  t: Test,
  path: string,
  headers: string[],
  body = '',
  { user = 'one', of = 'region' }: Sender = {}
) {
  const connection = wire(t, port)
  const authorization = `authorization: ${tokenOf('AdministrativeClerk', of, { name: user })}`
  connection.send(headOf('POST', path, authorization, ...headers) + body)
  return connection
}
const announcing = (bytes: number) => [json, `content-length: ${bytes}`]
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`
/** Sends the head of a bulk create of 10 MiB without its body. */
const hold = (t: Test, sender?: Sender) => begin(t, items, announcing(10 * MIB), '', sender)
/** Sends a request with a body of invalid JSON, and returns the status of the response. */
async function statusOf(connection: Wire): Promise<string> {
  await connection.until('\r\n\r\n')
  return connection.received().slice('HTTP/1.1 '.length, 'HTTP/1.1 429'.length)
}
const retries = (connection: Wire) => /retry-after: 5\r\n/i.test(connection.received())
const taken = async (bytes: number) => {
  while (app.slots.bodyBytes.used !== bytes) await turn()
}

t.test('rejects a body beyond the bytes of its caller, of its organization, and of all', async (t) => {
  const held: Wire[] = []
  const holdThree = async (sender: Sender) => {
    const before = app.slots.bodyBytes.used
    for (let at = 0; at < 3; at++) held.push(hold(t, sender))
    await taken(before + 30 * MIB)
  }
  await holdThree({ user: 'one' })
  const fourth = hold(t, { user: 'one' })
  t.equal(await statusOf(fourth), '429')
  t.ok(retries(fourth))
  const small = '['.repeat(30_000)
  t.equal(await statusOf(begin(t, items, announcing(30_000), small)), '400', 'a small body does not count')

  await holdThree({ user: 'two' })
  t.equal(await statusOf(hold(t, { user: 'three' })), '429', 'the organization has no bytes left')
  t.equal(await statusOf(begin(t, items, announcing(30_000), small, { user: 'three' })), '400')

  await holdThree({ user: 'one', of: 'other' })
  const large = '['.repeat(MIB)
  const third = { user: 'one', of: 'third' }
  t.equal(await statusOf(begin(t, items, announcing(MIB), large, third)), '400', 'others have bytes left')
  await taken(90 * MIB)
  await holdThree({ user: 'two', of: 'other' })
  const last = hold(t, third)
  t.equal(await statusOf(last), '503')
  t.ok(retries(last))

  for (const { socket } of held) socket.destroy()
  await taken(0)
  t.equal(await statusOf(begin(t, items, announcing(MIB), large)), '400')
  await taken(0)
})

t.test('counts a chunked body as it arrives', async (t) => {
  const slow = begin(t, items, [json, chunked], chunk('['.repeat(100)))
  const growing = begin(t, items, [json, chunked], chunk('['.repeat(32_768)))
  growing.send(chunk('['))
  await taken(65_536)
  growing.send(chunk('['.repeat(65_536)))
  await taken(131_072)

  const held = [hold(t), hold(t), hold(t)]
  await taken(30 * MIB + 131_072)
  for (let at = 0; at < 40; at++) growing.send(chunk('['.repeat(65_536)))
  t.equal(await statusOf(growing), '429')
  await taken(30 * MIB)
  slow.send(`${chunk('['.repeat(100))}0\r\n\r\n`)
  t.equal(await statusOf(slow), '400', 'a small chunked body is read while its caller has no bytes left')

  const upload = begin(t, excel, [form, chunked], chunk(part), { user: 'two' })
  for (let at = 0; at < 16; at++) upload.send(chunk('x'.repeat(65_536)))
  await taken(31 * MIB)
  for (const { socket } of [...held, upload]) socket.destroy()
  await taken(0)
})

t.test('releases the bytes of a body however its request ends', async (t) => {
  const whole = '['.repeat(100_000)
  const valid = JSON.stringify([{ name: 'x'.repeat(100_000) }])
  const ends: [what: string, status: string, request: () => Wire][] = [
    ['invalid JSON', '400', () => begin(t, items, announcing(whole.length), whole)],
    ['a body that the schema rejects', '400', () => begin(t, items, announcing(valid.length), valid)],
    [
      'a chunked body over the limit',
      '413',
      () => begin(t, `${orders}/party`, [json, chunked], chunk(' '.repeat(MIB + 1)))
    ],
    ['an announced body over the limit', '413', () => begin(t, `${orders}/party`, announcing(MIB + 1))],
    ['a broken chunk', '400', () => begin(t, items, [json, chunked], `${chunk(whole)}not a length\r\n`)],
    [
      'another media type',
      '415',
      () => begin(t, items, ['content-type: text/plain', `content-length: ${MIB}`])
    ],
    ['an unknown URL', '404', () => begin(t, `${orders}/nothing`, announcing(MIB))],
    ['a caller without permission', '403', () => begin(t, `${orders}/order`, announcing(MIB))],
    [
      'a file that is no workbook',
      '415',
      () => begin(t, excel, [form, chunked], `${chunk(`${part}${whole}\r\n--b--\r\n`)}0\r\n\r\n`)
    ],
    [
      'an upload without a file',
      '400',
      () => begin(t, excel, [form, `content-length: ${whole.length}`], whole)
    ]
  ]
  for (const [what, status, request] of ends) {
    t.equal(await statusOf(request()), status, what)
    await taken(0)
  }

  const beginnings = [
    () => begin(t, items, announcing(MIB), whole),
    () => begin(t, items, [json, chunked], chunk(whole)),
    () => begin(t, excel, [form, `content-length: ${MIB}`], part + whole),
    () => begin(t, excel, [form, chunked], chunk(part + whole))
  ]
  for (const beginning of beginnings) {
    const { socket } = beginning()
    while (app.slots.bodyBytes.used === 0) await turn()
    socket.resetAndDestroy()
    await taken(0)
  }
  t.pass('also when the client disconnects')
})

t.test('releases the bytes of a body that is slower than the time limit', async (t) => {
  const { app } = await testApp(t, { REQUEST_TIMEOUT: '1000' })
  const port = await listenOnLoopback(app)
  const authorization = `authorization: ${tokenOf('AdministrativeClerk')}`
  for (const [path, headers, body] of [
    [items, announcing(MIB), '['],
    [excel, [form, `content-length: ${MIB}`], part]
  ] as const) {
    const { send, closed } = wire(t, port)
    send(headOf('POST', path, authorization, ...headers) + body)
    while (app.slots.bodyBytes.used === 0) await turn()
    t.match(await closed(), [{ status: 408 }])
    while (app.slots.bodyBytes.used > 0) await turn()
  }
})

t.test('keeps the bytes of a body until its handler has settled', async (t) => {
  const release = await app.slots.heavyWork.acquire()
  const others = await app.slots.heavyWork.acquire()
  const file = `${part}${'x'.repeat(100_000)}\r\n--b--\r\n`
  const upload = begin(t, excel, [form, `content-length: ${file.length}`], file)
  while (app.slots.heavyWork.waiting === 0) await turn()
  upload.socket.resetAndDestroy()
  t.equal(app.slots.bodyBytes.used, file.length, 'its work waits for a slot')
  release()
  others()
  await taken(0)
})

t.test('discards the body of a request whose method has none', async (t) => {
  const read = wire(t, port)
  const clerk = as('AdministrativeClerk', organization('region'))
  const next = nextOf(await clerk.get(`${catalogue}/events`, 200))
  const authorization = `authorization: ${tokenOf('AdministrativeClerk')}`
  read.send(headOf('GET', `${next}&wait=30`, authorization, chunked))
  // More than the buffers of both sockets hold.
  for (let sent = 0; sent < 32; sent++)
    await new Promise<void>((resolve, reject) =>
      read.socket.write(chunk('x'.repeat(MIB)), (error) => (error ? reject(error) : resolve()))
    )
  t.equal(read.received(), '', 'while the request waits')
})

t.test('keeps no body in memory while its client reads the response', async (t) => {
  const app = Fastify()
  app.decorate('slots', createSlotTable(1))
  app.addHook('onRequest', beginRequest(app, { limits: { requestTimeout: 240_000 } }))
  app.addHook('onRequest', async ({ state }) => {
    state.call = { caller: { userId: 'one' } } as Call
  })
  app.addHook('preParsing', checkBodySlot())
  const handler = untilDeadline(async ({ body }: FastifyRequest) => `${(body as string).length}`)
  app.post('/', handler)
  const bodies: unknown[] = []
  app.addHook('onSend', async ({ body }) => void bodies.push(body))
  const headers = { 'content-type': 'text/plain' }
  const { body } = await app.inject({ method: 'POST', url: '/', headers, payload: 'x'.repeat(100_000) })
  t.equal(body, '100000')
  t.same(bodies, [undefined])
})
