import t from 'tap'
import { type CloudEvent, SslClient } from '../../clients/typescript/src/index.js'
import { testApp } from '../fixtures/app.js'
import { nurseToken } from '../fixtures/events/listening.js'
import { readOn } from '../fixtures/events/reading.js'
import { until } from '../fixtures/events/receiver.js'
import { freePort, startServer } from '../fixtures/server.js'
import { pathOf, world } from '../fixtures/world.js'

t.test('follows the feed through a restart of the server', async (t) => {
  const app = await testApp(t)
  const w = await world(app)
  const env = { DATABASE_URL: app.databaseUrl, PORT: String(await freePort()) }
  const server = await startServer(t, env)
  await server.ready()
  const { order: api } = new SslClient({ origin: server.url, token: nurseToken(), retryDelayMs: 10 })
  const seen: CloudEvent[] = []
  const failures: Error[] = []
  const stop = new AbortController()
  const options = { wait: 1, signal: stop.signal, onFailure: (error: Error) => failures.push(error) }
  const reading = (async () => {
    for await (const { events } of api.events(options)) seen.push(...events)
  })()
  let end: unknown
  reading.catch((error: unknown) => {
    end = error
  })
  const isSeen = (order: string) => {
    if (end !== undefined) throw end
    return seen.some(({ subject }) => subject.endsWith(pathOf(order)))
  }

  const before = await w.createDraft()
  await until(() => isSeen(before))
  await server.stop()
  const during = await w.createDraft()
  await until(() => isSeen(before) && failures.length > 0)
  await (await startServer(t, env)).ready()
  const after = await w.createDraft()
  await until(() => isSeen(after))
  t.ok(isSeen(during))
  stop.abort()
  await t.rejects(reading, { name: 'AbortError' })
  t.same(
    seen.map(({ id }) => id),
    (await readOn(w.nurse)).events.map(({ id }) => id),
    'each event once, in order'
  )
})
