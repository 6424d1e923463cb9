import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { tokenOf } from '../fixtures/callers.js'
import { plantEvents } from '../fixtures/events/ledger-checks.js'
import { nurseToken, openStream, startListeningServer } from '../fixtures/events/listening.js'
import { readOn } from '../fixtures/events/reading.js'
import { headOf } from '../fixtures/wire.js'
import { orders } from '../fixtures/world.js'

const MAX_WAITING = 100
const { app, sql, w, url } = await startListeningServer(t)
const feed = `${url}${orders}/events`

t.test('the streams of one caller are limited, and leave slots to other callers', async (t) => {
  const nurse = nurseToken({ name: 'first' })
  const heads = await Promise.all(
    Array.from({ length: 110 }, () => openStream(feed, nurse, { method: 'HEAD' }))
  )
  t.ok(
    heads.every(({ status, type }) => status === 200 && type === 'text/event-stream'),
    'HEAD takes no place'
  )
  const open = await Promise.all(Array.from({ length: 110 }, () => openStream(feed, nurse)))
  const admitted = open.filter(({ status }) => status === 200)
  t.equal(admitted.length, MAX_WAITING)
  for (const { response } of open.filter(({ status }) => status !== 200)) {
    t.match([response.status, response.headers.get('retry-after')], [429, '5'])
    t.match(await response.json(), { code: 'too-many-requests' })
  }
  const other = await openStream(feed, tokenOf('AdministrativeClerk'))
  t.equal(other.status, 200, 'another caller has places of its own')
  other.close()
  const [first, ...rest] = admitted
  first?.close()
  for (;;) {
    const next = await openStream(feed, nurse)
    next.close()
    if (next.status === 200) break
    await pause(200)
  }
  t.pass('the place of a closed stream is free, those of refused ones were never taken')
  for (const { close } of rest) close()
})

t.test('a request beyond the limit is rejected if it would have to wait', async (t) => {
  const { next } = await readOn(w.nurse)
  const authorization = nurseToken({ name: 'second' })
  const ask = async (query: string) => {
    const response = await fetch(`${url}${next}${query}`, { headers: { authorization } })
    return { status: response.status, headers: response.headers, body: await response.json() }
  }
  const open = await Promise.all(Array.from({ length: MAX_WAITING }, () => openStream(feed, authorization)))
  t.ok(open.every(({ status }) => status === 200))
  const refused = await ask('&wait=25')
  t.match(refused, { status: 429, body: { code: 'too-many-requests' } })
  t.equal(refused.headers.get('retry-after'), '5')
  t.match(await ask(''), { status: 200, body: [] }, 'one that does not wait is served')

  await w.createDraft()
  const served = await ask('&wait=25')
  t.equal(served.status, 200)
  t.match(served.body, [{ type: 'order.created' }], 'and one that need not wait')
  for (const { close } of open) close()
})

t.test('a stream that its client does not read takes little memory', async (t) => {
  // More than the buffers of the operating system hold.
  await plantEvents(sql, { count: 30_000 })
  const connected = once(app.server, 'connection')
  const client = connect(Number(new URL(url).port), '127.0.0.1')
  t.teardown(() => client.destroy())
  const headers = [`authorization: ${nurseToken()}`, 'accept: text/event-stream']
  client.write(headOf('GET', `${orders}/events`, ...headers))
  const [socket] = (await connected) as [Socket]
  let unreadBytes = 0
  while (unreadBytes === 0 || unreadBytes !== socket.writableLength) {
    unreadBytes = socket.writableLength
    await pause(500)
  }
  t.ok(unreadBytes < 256 * 1024, `${unreadBytes} bytes`)
})
