import { once } from 'node:events'
import { appendFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { unsignedToken } from '../../src/home/unsigned-token.js'
import { postmasterOf } from '../fixtures/embedded.js'
import { type Server, startServer, temporaryFolder } from '../fixtures/server.js'

const authorization = unsignedToken({ userType: 'AdministrativeClerk' })
const headers = { authorization, 'content-type': 'application/json' }
const party = JSON.stringify({
  allowedRoles: ['BUYER'],
  name: 'kept',
  organization: 'https://fhir.example/Organization/o'
})
const DATA_DIR = `${temporaryFolder(t)}/data`
const crash = (dataDir = DATA_DIR) => process.kill(postmasterOf(dataDir), 'SIGKILL')

/** Resolves when the output of the program matches. */
async function written(server: Server, wanted: RegExp): Promise<void> {
  while (!wanted.test(server.output())) {
    if (server.process.exitCode !== null) throw new Error(`It ended: ${server.output()}`)
    await pause(10)
  }
}

t.test('a killed embedded PostgreSQL is restarted', async (t) => {
  const server = await startServer(t, { DATA_DIR, SHUTDOWN_TIMEOUT: '240000' })
  await server.ready()

  t.test('and the log says so', async (t) => {
    const post = () => fetch(`${server.url}/ssl-order/v1/party/`, { method: 'POST', headers, body: party })
    const location = (await post()).headers.get('location') ?? ''
    const killed = postmasterOf(DATA_DIR)
    crash()
    await written(server, /The embedded PostgreSQL runs again/)
    t.match(server.output(), new RegExp(`"level":50.*pid ${killed}\\) exited unexpectedly \\(SIGKILL\\)`))
    await server.ready()
    t.equal((await fetch(location, { headers })).status, 200)
    t.equal((await post()).status, 201)
  })

  t.test('during shutdown too, until the last response is sent', async (t) => {
    const slow = request(`${server.url}/ssl-order/v1/party`, {
      method: 'POST',
      headers: { ...headers, 'content-length': Buffer.byteLength(party) }
    })
    slow.write(party.slice(0, 10))
    // The head of the request has arrived once a later connection gets a response.
    await server.ready()
    const ended = server.stop('SIGTERM')
    while (await fetch(`${server.url}/health/live`).catch(() => undefined)) await pause(5)
    crash()
    await written(server, /runs again.*runs again/s)
    slow.end(party.slice(10))
    const [response] = await once(slow, 'response')
    t.equal(response.statusCode, 201)
    response.resume()
    t.equal(await ended, 0)
    t.equal(postmasterOf(DATA_DIR), 0)
  })
})

t.test('a PostgreSQL killed during startup is restarted or ends the program with a message', async (t) => {
  const server = await startServer(t, { DATA_DIR })
  while (postmasterOf(DATA_DIR) === 0) await pause(1)
  crash()
  const end = once(server.process, 'close').then(([code]) => code)
  const isReady = await Promise.race([server.ready().then(() => true), end.then(() => false)]).catch(
    () => false
  )
  if (isReady) t.equal(await server.stop(), 0)
  else {
    t.equal(await end, 1)
    t.match(server.output(), /Start this program again/)
  }
  t.notMatch(server.output(), /^ +at /m)
})

t.test('a PostgreSQL that cannot restart ends the program, which says what to do', async (t) => {
  const server = await startServer(t, { DATA_DIR })
  await server.ready()
  appendFileSync(join(DATA_DIR, 'cluster/data/postgresql.conf'), '\nno_such_setting = 1\n')
  const ended = once(server.process, 'close')
  crash()
  t.match(await ended, [1])
  t.match(
    server.output(),
    /cannot be restarted.*no_such_setting.*Fix the cause, then start this program again/s
  )
  t.notMatch(server.output(), /^ +at /m, 'without a stack trace')
})
