import postgres from 'postgres'
import t from 'tap'
import { effort } from '../fixtures/effort.js'
import { countOutcomes, instanceAt, instanceSettings, underWriters } from '../fixtures/history/run.js'
import { historyFindings } from '../fixtures/history/stored.js'
import { endConnections, kill } from '../fixtures/kill.js'
import { killablePostgres } from '../fixtures/killable-postgres.js'
import { callersOf } from '../fixtures/over-http.js'
import { freePort, startServer } from '../fixtures/server.js'
import { world } from '../fixtures/world.js'

t.test('responses are true while the program and its PostgreSQL are killed under writers', async (t) => {
  const database = await killablePostgres(t)
  const PORT = String(await freePort())
  const start = () => startServer(t, { ...instanceSettings, DATABASE_URL: database.url, PORT })
  let server = await start()
  await server.ready()
  const faults = {
    connections: () => endConnections(database.url),
    'PostgreSQL by SIGKILL': () => database.kill('SIGKILL'),
    'PostgreSQL by SIGQUIT': () => database.kill('SIGQUIT'),
    async program() {
      await kill(server.process)
      server = await start()
    }
  }
  const run = await underWriters(
    {
      name: 'kills',
      world: await world({ as: callersOf(server.url) }),
      instances: [instanceAt(server.url)],
      check() {
        if (server.process.exitCode !== null) throw new Error(`The server ended: ${server.output()}`)
      }
    },
    async (progress) => {
      for (let round = 0; round < effort; round++)
        for (const fail of Object.values(faults)) {
          await progress(40)
          await fail()
        }
      await progress(40)
    }
  )
  const sql = postgres(database.url, { max: 1 })
  t.teardown(() => sql.end())
  t.comment(countOutcomes(run))
  t.same(await historyFindings(sql, run), [])
  t.same(run.unexpected, [])
  t.ok(
    run.attempts.some(({ outcome }) => outcome !== 'acknowledged'),
    'the kills were noticed'
  )
  await sql.end()
  t.equal(await server.stop(), 0)
})
