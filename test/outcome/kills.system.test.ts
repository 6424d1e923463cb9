import { setTimeout as pause } from 'node:timers/promises'
import postgres from 'postgres'
import t from 'tap'
import { thorough } from '../fixtures/effort.js'
import { embeddedUrl, postmasterOf } from '../fixtures/embedded.js'
import { type Attempt, countEffects, createParties, writer } from '../fixtures/outcome-writers.js'
import { startServer, temporaryFolder } from '../fixtures/server.js'

/** The ways to kill PostgreSQL, in turn. */
const kills = ['backends', 'SIGKILL', 'backends', 'SIGQUIT'] as const
const rounds = thorough ? 10 : 2
const writers = 8

t.test('responses are true while PostgreSQL is killed under eight writers', async (t) => {
  const DATA_DIR = temporaryFolder(t)
  const server = await startServer(t, { DATA_DIR, LOG_LEVEL: 'fatal' })
  await server.ready()
  const attempts: Attempt[] = []
  let isWriting = true
  const parties = await createParties(server.url)
  const running = Array.from({ length: writers }, (_, number) =>
    writer({ url: server.url, parties, number, attempts, isWriting: () => isWriting })
  )
  const succeeded = () => attempts.filter(({ outcome }) => outcome === 'written').length
  /** Waits until `count` more writes have succeeded. */
  async function progress(count: number): Promise<void> {
    const wanted = succeeded() + count
    while (succeeded() < wanted) {
      if (server.process.exitCode !== null) throw new Error(`The server ended: ${server.output()}`)
      await pause(5)
    }
  }

  for (let round = 0; round < rounds; round++) {
    await progress(40)
    const kill = kills[round % kills.length]
    if (kill === 'backends') {
      const sql = postgres(embeddedUrl(DATA_DIR), { max: 1 })
      await sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'ssl-backend'`
      await sql.end()
    } else process.kill(postmasterOf(DATA_DIR), kill)
  }
  await progress(40)
  isWriting = false
  await Promise.all(running)

  const sql = postgres(embeddedUrl(DATA_DIR), { max: 1 })
  const counted = await countEffects(sql, attempts)
  await sql.end()
  const of = (outcome: Attempt['outcome'], wanted: (countEffects: number) => boolean) =>
    counted.filter((each) => each.outcome === outcome && !wanted(each.countEffects))
  t.comment(
    JSON.stringify({
      rounds,
      written: succeeded(),
      refused: counted.filter(({ outcome }) => outcome === 'not written').length,
      unknown: counted.filter(({ outcome }) => outcome === 'unknown').length,
      unknownThatTookEffect: counted.filter((each) => each.outcome === 'unknown' && each.countEffects > 0)
        .length
    })
  )
  t.same(
    of('written', (count) => count === 1),
    [],
    'successful writes took effect once'
  )
  t.same(
    of('not written', (count) => count === 0),
    [],
    'unavailable or busy writes did not take effect'
  )
  t.same(
    of('unknown', (count) => count <= 1),
    [],
    'unknown outcomes took effect at most once'
  )
  t.same(
    of('other', () => false),
    [],
    'there is no other outcome'
  )
  t.ok(
    counted.some(({ outcome }) => outcome !== 'written'),
    'the kills were noticed'
  )
  t.equal(await server.stop(), 0)
})
