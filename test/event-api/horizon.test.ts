import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import type { Database } from '../../src/db/driver/database.js'
import { createHorizon } from '../../src/ledger/horizon.js'
import { testApp } from '../fixtures/app.js'
import { ledgerOf, orderFaults } from '../fixtures/events/ledger-checks.js'
import { type Event, nextOf, readOn, textOf } from '../fixtures/events/reading.js'
import { recordStatements } from '../fixtures/sent-statements.js'
import { moveTo, orders, organization, pathOf, world } from '../fixtures/world.js'

t.test('a feed does not pass a transaction that began first and commits last', async (t) => {
  const app = await testApp(t)
  const w = await world(app)
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
    await tx`insert into events (time, id, type, change, subject_id, owner_id, sequence, is_of_draft)
      select now(), gen_random_uuid(), 'party.changed', 'changed', id, id, 99, false from parties limit 1`
    await w.addLine(order)
    await w.nurse.patch(pathOf(order), moveTo('SUBMITTED'), 204)
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

t.test('nothing is complete while a transaction that writes events is prepared', async (t) => {
  let sample = { position: '1', writers: ['3/12'] }
  const horizon = createHorizon({ execute: async () => [sample] } as unknown as Database)
  t.equal(await horizon.look(), 0)
  // The transaction is prepared, and another one commits.
  sample = { position: '2', writers: ['-1/777'] }
  t.equal(await horizon.look(), 0)
  t.type(horizon.heldSince(), 'number')
  sample = { position: '2', writers: [] }
  t.equal(await horizon.look(), 2)
  t.equal(horizon.heldSince(), undefined)
})

t.test('a transaction that writes no events delays nobody', async (t) => {
  const app = await testApp(t)
  const w = await world(app)
  const { next } = await readOn(w.nurse)
  await app.sql.begin(async (tx) => {
    await tx`update parties set name = name`
    await tx`select * from events for share`.catch(() => {})
    const party = { allowedRoles: ['BUYER'], name: 'new', organization: organization('region') }
    await w.clerk.create(`${orders}/party/`, party)
    t.same((await readOn(w.nurse, next)).events.map(textOf), ['party.changed'])
  })
})

t.test('a reader beside many writers misses nothing, repeats nothing, and keeps the order', async (t) => {
  const app = await testApp(t)
  const w = await world(app)
  const { next: start } = await readOn(w.nurse)
  let isWriting = true
  const slow = async () => {
    for (let turn = 0; turn < 6; turn++)
      await app.sql.begin(async (tx) => {
        await tx`insert into events (time, id, type, change, subject_id, owner_id, sequence, is_of_draft)
          select now(), gen_random_uuid(), 'party.changed', 'changed', id, id, ${1000 + turn}, false from parties limit 1`
        await pause(80)
      })
  }
  const write = async () => {
    for (let turn = 0; turn < 6; turn++) {
      const order = await w.createDraft()
      const line = await w.addLine(order)
      await Promise.all([
        w.nurse.patch(pathOf(order), [{ op: 'replace', path: '/priority', value: true }], 204),
        w.nurse.patch(pathOf(order), [{ op: 'add', path: '/notes/-', value: { note: 'one' } }], 204)
      ])
      await w.nurse.patch(pathOf(order), moveTo('SUBMITTED'), 204)
      await w.provider.patch(pathOf(line), moveTo('FULFILLED'), 204)
    }
  }
  const seen: Event[] = []
  let link = `${start}&limit=7`
  const reading = (async () => {
    for (let isLast = false; !isLast; ) {
      isLast = !isWriting
      for (;;) {
        const response = await w.nurse.get(link, 200)
        seen.push(...response.body)
        link = nextOf(response)
        if (response.body.length === 0) break
      }
    }
  })()
  await Promise.all([slow(), slow(), ...Array.from({ length: 6 }, write)])
  isWriting = false
  await reading

  const all = (await readOn(w.nurse, start)).events
  t.same(
    seen.map(({ id }) => id),
    all.map(({ id }) => id)
  )
  t.equal(new Set(seen.map(({ id }) => id)).size, seen.length)
  t.equal(seen.length, 12 + 36 * 8)
  t.same(
    orderFaults(await ledgerOf(app.sql)).filter((fault) => !fault.includes('party.changed')),
    []
  )
})

t.test('the ledger is looked at only while somebody reads', async (t) => {
  const app = await testApp(t)
  const w = await world(app)
  const sent = recordStatements(app.app)
  const looks = () => sent.filter(({ text }) => /pg_locks|from events/.test(text)).length
  await w.submitted()
  t.equal(looks(), 0, 'changes do not')
  const { next } = await readOn(w.nurse)
  t.ok(looks() > 0)
  await w.nurse.get(`${next}&wait=1`, 200)
  const before = looks()
  await w.submitted()
  // Several times as long as between two looks.
  await pause(1000)
  t.equal(looks(), before, 'nothing goes on after the last reader')
})
