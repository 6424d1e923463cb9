import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import type { Database } from '../../src/db/driver/database.js'
import { createHorizon } from '../../src/ledger/horizon.js'
import { testWorld } from '../fixtures/app.js'
import { plantEvents } from '../fixtures/events/ledger-checks.js'
import { type Event, nextOf, readOn, textOf } from '../fixtures/events/reading.js'
import { recordStatements } from '../fixtures/sent-statements.js'
import { orders, organization, pathOf, transitionTo } from '../fixtures/world.js'

t.test('a feed waits for a transaction that began first and commits last', async (t) => {
  const { app, w } = await testWorld(t)
  const { next: start } = await readOn(w.nurse)
  const order = await w.createDraft()
  let link = start
  const seen: Event[] = []
  const read = async () => {
    const response = await w.nurse.get(link, 200)
    link = nextOf(response)
    seen.push(...response.body)
    return response.body.length as number
  }
  t.equal(await read(), 1)
  await app.sql.begin(async (tx) => {
    await plantEvents(tx)
    await w.addLine(order)
    await w.nurse.patch(pathOf(order), transitionTo('SUBMITTED'), 204)
    t.equal(await read(), 0, 'nothing after its first position')
    t.equal(await read(), 0)
  })
  while ((await read()) > 0);
  t.same(seen.map(textOf), [
    'order.created DRAFT',
    'party.changed',
    'order-line.added UNFULFILLED',
    'order.submitted DRAFT SUBMITTED',
    'order-line.status-changed UNFULFILLED SUBMITTED'
  ])
})

t.test('a scan includes what was committed before it, also during an earlier scan', async (t) => {
  let position = 0
  const execute = async () => [{ position: String(++position), writers: [] }]
  const horizon = createHorizon({ execute } as unknown as Database)
  t.same(await Promise.all([horizon.look(), horizon.look(), horizon.look()]), [1, 2, 2])
})

t.test('a prepared transaction that writes events delays the feed', async (t) => {
  let sample = { position: '1', writers: ['3/12'] }
  const horizon = createHorizon({ execute: async () => [sample] } as unknown as Database)
  t.equal(await horizon.look(), 0)
  // This transaction is prepared, and a later transaction commits.
  sample = { position: '2', writers: ['-1/777'] }
  t.equal(await horizon.look(), 0)
  t.type(horizon.heldSince(), 'number')
  sample = { position: '2', writers: [] }
  t.equal(await horizon.look(), 2)
  t.equal(horizon.heldSince(), undefined)
})

t.test('a transaction that writes no events delays no reader', async (t) => {
  const { app, w } = await testWorld(t)
  const { next } = await readOn(w.nurse)
  await app.sql.begin(async (tx) => {
    await tx`update parties set name = name`
    await tx`select * from events for share`.catch(() => {})
    const party = { allowedRoles: ['BUYER'], name: 'new', organization: organization('region') }
    await w.clerk.create(`${orders}/party/`, party)
    t.same((await readOn(w.nurse, next)).events.map(textOf), ['party.changed'])
  })
})

t.test('the server scans the ledger only while a client reads the feed', async (t) => {
  const { app, w } = await testWorld(t)
  const sent = recordStatements(app.app)
  const looks = () => sent.filter(({ text }) => /pg_locks|from events/.test(text)).length
  await w.submitted()
  t.equal(looks(), 0, 'changes do not')
  const { next } = await readOn(w.nurse)
  t.ok(looks() > 0)
  await w.nurse.get(`${next}&wait=1`, 200)
  const before = looks()
  await w.submitted()
  // Several times the interval between two scans.
  await pause(1000)
  t.equal(looks(), before, 'nothing goes on after the last reader')
})
