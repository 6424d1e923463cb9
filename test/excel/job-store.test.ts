import t from 'tap'
import { loadConfig } from '../../fastify.config.js'
import { buildApp } from '../../src/app.js'
import { findJob, insertJob, markEnded, saveProgress } from '../../src/excel/import/job.store.js'
import type { Actor } from '../../src/platform/auth/actor.js'
import { Deadline } from '../../src/platform/server/deadline.js'
import { testApp, unhurried } from '../fixtures/app.js'
import { asServerRole } from '../fixtures/server-role.js'

const deadline = new Deadline(600_000)
const actor = { userType: 'Provider', userId: 'u', organization: 'https://o', deadline } as Actor
const id = (at: number) => `01890000-0000-7000-8000-00000000000${at}`

t.test('imports that are noted', async (t) => {
  const { app, sql, databaseUrl } = await testApp(t)
  const { db } = app

  t.test('count as interrupted after 30 seconds without a sign of life', async (t) => {
    await insertJob(db, actor, id(1), false)
    t.match(await findJob(db, actor, id(1)), { state: 'running', phase: 'reading', rowsDone: 0, rows: 0 })
    for (const [silence, state] of [
      ['20 seconds', 'running'],
      ['31 seconds', 'interrupted']
    ] as const) {
      await sql`update imports set changed_at = now() - ${silence}::interval where id = ${id(1)}`
      t.equal((await findJob(db, actor, id(1)))?.state, state, silence)
    }
    await saveProgress(db, id(1), { phase: 'writing', rowsDone: 1, rows: 2 })
    await markEnded(db, id(1), { state: 'failed', problem: {} })
    t.match(
      await findJob(db, actor, id(1)),
      { state: 'interrupted', phase: 'reading', problem: null },
      'for good'
    )
  })

  t.test('show their progress, which is a sign of life', async (t) => {
    await insertJob(db, actor, id(2), true)
    await sql`update imports set changed_at = now() - interval '1 minute' where id = ${id(2)}`
    await saveProgress(db, id(2), { phase: 'writing', rowsDone: 1, rows: 2 })
    t.match(await findJob(db, actor, id(2)), {
      state: 'running',
      phase: 'writing',
      rowsDone: 1,
      rows: 2,
      dryRun: true
    })
    await markEnded(db, id(2), { state: 'failed', problem: { code: 'x' } })
    t.match(await findJob(db, actor, id(2)), { state: 'failed', problem: { code: 'x' } })
  })

  t.test('are told to who began them alone', async (t) => {
    await insertJob(db, actor, id(3), false)
    for (const more of [
      { userType: 'AdministrativeClerk' },
      { userId: 'v' },
      { userId: undefined },
      { organization: 'https://p' },
      { organization: undefined }
    ])
      t.equal(await findJob(db, { ...actor, ...more } as Actor, id(3)), undefined, JSON.stringify(more))
    t.ok(await findJob(db, actor, id(3)))
  })

  t.test('whose process is gone are reported as interrupted, although nobody asks for them', async (t) => {
    await insertJob(db, actor, id(5), false)
    await insertJob(db, actor, id(6), false)
    await sql`update imports set changed_at = now() - interval '1 minute' where id = ${id(5)}`
    const starting = [1, 2].map(async () => {
      const other = await buildApp(
        loadConfig({ ...unhurried, LOG_LEVEL: 'silent' }),
        asServerRole(databaseUrl)
      )
      t.teardown(() => other.close())
      await other.ready()
    })
    await Promise.all(starting)
    t.same(
      await sql`select subject_id, old_status, new_status from events where subject_id in (${id(5)}, ${id(6)})`,
      [{ subject_id: id(5), old_status: 'running', new_status: 'interrupted' }],
      'once, and no other'
    )
  })

  t.test('are forgotten after 30 days, when another begins', async (t) => {
    await sql`update imports set created_at = now() - interval '30 days' where id = ${id(1)}`
    await sql`update imports set created_at = now() - interval '29 days 23 hours' where id = ${id(2)}`
    await insertJob(db, actor, id(4), false)
    const ids = await sql`select id from imports order by id`
    t.same(
      ids.map((row) => row.id),
      [id(2), id(3), id(4), id(5), id(6)]
    )
  })
})
