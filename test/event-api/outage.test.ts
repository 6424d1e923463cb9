import t from 'tap'
import { appBehindProxy } from '../fixtures/database-proxy.js'
import { nurseToken, openStream, startListeningServer } from '../fixtures/events/listening.js'
import { type Event, messagesOf } from '../fixtures/events/reading.js'
import { until } from '../fixtures/waiting.js'

t.test(
  'waiting readers get an error when the database becomes unreachable, and continue later',
  async (t) => {
    const behindProxy = await appBehindProxy(t)
    const { proxy } = behindProxy
    const { app, w, url, next } = await startListeningServer(t, behindProxy)
    let requests = 0
    app.server.on('request', () => requests++)
    const headers = { authorization: nurseToken() }
    const wait = () => fetch(`${url}${next}&wait=30`, { headers })
    const stream = await openStream(`${url}${next}`, nurseToken())
    const places: string[] = []
    const streaming = (async () => {
      for await (const { id } of messagesOf(stream.response)) places.push(id)
    })().catch((error: unknown) => error)
    const waiting = [wait(), wait()]
    await until(() => requests === 3 && places.length > 0)
    await w.nurse.get(next, 200)

    proxy.refuse()
    for (const response of await Promise.all(waiting)) {
      t.match([response.status, response.headers.get('retry-after')], [503, '5'])
      t.match(await response.json(), { code: 'database-unavailable' })
    }
    await streaming
    t.pass('a stream ends')

    proxy.restore()
    await until(async () => (await w.nurse.get(next)).status === 200)
    const order = await w.createDraft()
    const again = await wait()
    t.equal(again.status, 200)
    t.same(
      ((await again.json()) as Event[]).map(({ subject }) => subject),
      [order],
      'from the same cursor'
    )
  }
)
