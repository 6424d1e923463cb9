import t from 'tap'
import { type Event, nextOf, readOn } from '../fixtures/events/reading.js'
import { delayReplay, instance, reading, replicaPair } from '../fixtures/replica.js'
import { catalogue, organization, pathOf, world } from '../fixtures/world.js'

const env = { DATABASE_READ_LAG: '3000' }
const DELAY_MS = 1000

t.test('an event comes when its subject can be read, also from a standby that is behind', async (t) => {
  const pair = await replicaPair(t)
  const [one, other] = [await instance(t, pair, env), await instance(t, pair, env)]
  const w = await world(one)
  const reader = other.as('MonitoringResponsible', organization('region'))
  const { id, ...members } = (await w.clerk.get(pathOf(w.monitor), 200)).body
  let { next } = await readOn(reader, `${catalogue}/events`)
  next += '&wait=20'
  await delayReplay(pair.standby, DELAY_MS)
  let fromStandby = 0
  for (let count = 1; fromStandby < 3; count++) {
    const name = `Name ${count}`
    await reading(other)
    const writing = w.clerk.put(pathOf(w.monitor), { ...members, name }, 204)
    let events: Event[] = []
    while (events.length === 0) {
      const response = await reader.get(next, 200)
      events = response.body
      next = nextOf(response)
    }
    t.match(events, [{ type: 'catalogue-item.changed', subject: w.monitor }])
    t.equal((await reader.get(pathOf(w.monitor), 200)).body.name, name)
    if (other.app.replication.isReadable()) fromStandby++
    await writing
  }
})
