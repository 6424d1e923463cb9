import postgres from 'postgres'
import t, { type Test } from 'tap'
import { connect } from '../../src/db/driver/database.js'
import { unfinishedCommits } from '../../src/db/unfinished-commits.js'
import { createHorizon } from '../../src/event-api/horizon.js'
import { cloneDatabase, ofOneServer } from '../fixtures/app.js'
import { standInForCitus } from '../fixtures/stand-in-citus.js'

/*
 * Citus itself is not at hand here: see test/failover/half-commit.test.ts.
 */

async function standIn(t: Test) {
  const url = await cloneDatabase(t)
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  const { db, close } = connect({ url, maxConnections: 1, statementTimeoutMs: 60_000 })
  t.teardown(() => Promise.all([sql.end(), close()]))
  const find = unfinishedCommits({ db, isDistributed: true, resourceUrls: {} })
  return { sql, db, find, ...(await standInForCitus(sql)) }
}

t.test('commits that a worker has not finished', ofOneServer, async (t) => {
  const { sql, find, commit, respond } = await standIn(t)
  const isAsked = async () => (await sql`select is_called from asks`)[0]?.is_called
  await respond({ 1: [['a']], 2: [['b']] })
  t.same(await find(), [], 'a prepared transaction that was not committed')
  t.notOk(await isAsked(), 'without commits no worker is asked')

  await commit(1, 'a')
  await commit(2, 'b')
  t.same(await find(), ['a', 'b'])
  await respond({ 1: [['b']], 2: [['b'], ['b'], []] })
  t.same(await find(), [], 'workers are asked again; an id belongs to one worker')
  await respond({ 1: [['a']], 2: [['b']] })
  t.same(await find(), [])
  t.notOk(await isAsked(), 'what is finished stays so')

  await commit(1, 'c')
  await respond({ 1: [null], 2: [[]] })
  t.same(await find(), ['c'], 'a worker does not respond')
  await respond({ 2: [[]] })
  t.same(await find(), ['c'], 'a worker is not asked')
  await respond({ 1: [[]], 2: [['other']] })
  t.same(await find(), [])
})

t.test('the feed ends before an event whose commit is unfinished', ofOneServer, async (t) => {
  const { sql, db, find, commit, respond } = await standIn(t)
  const writeEvent = async () => {
    const [row] = await sql`
      insert into events (time, id, type, change, subject_id, owner_id, sequence, is_of_draft)
      select now(), id, 'party.changed', 'changed', id, id, 1, false from (select gen_random_uuid() as id) new
      returning position`
    return Number(row?.position)
  }
  const before = await writeEvent()
  const horizon = createHorizon(db, find)
  t.equal(await horizon.complete(), before)
  await respond({ 1: [['a']] })
  await commit(1, 'a')
  const event = await writeEvent()
  t.equal(await horizon.complete(), before)
  t.type(horizon.heldSince(), 'number')
  await respond({ 1: [[]] })
  t.equal(await horizon.complete(), event)
  t.equal(horizon.heldSince(), undefined)
})
