import { once } from 'node:events'
import { Agent, get, type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { unsignedToken } from '../../src/platform/auth/tokens/unsigned-token.js'
import { cloneDatabase } from '../fixtures/app.js'
import { callersOf } from '../fixtures/callers.js'
import { readyServer, startServer, temporaryFolder } from '../fixtures/server.js'
import { orders, organization, pathOf } from '../fixtures/world.js'

const authorization = unsignedToken({ userType: 'AdministrativeClerk' })
const party = (name: string) => ({ allowedRoles: ['BUYER'], name, organization: organization('o') })
const clerkAt = (url: string) => callersOf(url)('AdministrativeClerk')
const createParty = (url: string, name: string) => clerkAt(url).create(`${orders}/party/`, party(name))

/** Practically no timeout. */
const MAX_TIMEOUT = String(2 ** 31 - 1)

/** Idle connections: without a request, with half of a request, and after a request. */
async function idleConnections(port: string): Promise<{ destroy: () => void }> {
  const sockets = [connect(Number(port), '127.0.0.1'), connect(Number(port), '127.0.0.1')]
  for (const socket of sockets) socket.on('error', () => {})
  sockets[1]?.write('GET /health/live HTTP/1.1\r\nhost:')
  const agent = new Agent({ keepAlive: true })
  const [response] = await once(get(`http://127.0.0.1:${port}/health/live`, { agent }), 'response')
  response.resume()
  await once(response, 'end')
  return agent
}

/** tap hooks into Node processes that it sees; npm fails with these hooks. */
const npmStart = ['env', '-u', 'NODE_OPTIONS', 'npm', 'start']

/** Sends a part of a request, and returns the function that sends the rest. */
async function requestInFlight(url: string): Promise<() => Promise<IncomingMessage>> {
  const body = JSON.stringify(party('under way'))
  const slow = request(`${url}/ssl-order/v1/party`, {
    method: 'POST',
    headers: {
      authorization,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      // The server sends 100 Continue when the request is in flight.
      expect: '100-continue'
    }
  }).on('error', () => {})
  slow.flushHeaders()
  await once(slow, 'continue')
  slow.write(body.slice(0, 10))
  return async () => {
    slow.end(body.slice(10))
    const [response] = await once(slow, 'response')
    return response.resume()
  }
}

/** Resolves when the server accepts no connections. */
async function untilClosed(url: string): Promise<void> {
  while (await fetch(`${url}/health/live`).catch(() => undefined)) await pause(5)
}

/** A folder that does not exist at first, and later has the data of the previous tests. */
const DATA_DIR = `${temporaryFolder(t)}/data`

t.test('starts in an empty folder and again', async (t) => {
  const kept: string[] = []
  let port = ''

  t.test('the first start logs its environment and its address', async (t) => {
    const server = await readyServer(t, { DATA_DIR, SHUTDOWN_TIMEOUT: MAX_TIMEOUT })
    port = new URL(server.url).port
    for (const line of [`Open           ${server.url}/`, DATA_DIR, 'NOT VERIFIED'])
      t.ok(server.output().includes(line), line)
    t.notMatch(server.output(), 'text withheld', 'each line is of the program')
    t.same(await (await fetch(`${server.url}/health/live`)).json(), { status: 'ok' })
    kept.push(await createParty(server.url, 'kept'))

    const finish = await requestInFlight(server.url)
    const idle = await idleConnections(port)
    const stopped = server.stop('SIGTERM')
    server.process.kill('SIGTERM')
    await untilClosed(server.url)
    const { statusCode, headers } = await finish()
    t.equal(statusCode, 201, 'a request in flight is finished')
    kept.push(headers.location ?? '')
    t.equal(await stopped, 0, 'idle connections do not delay the end')
    idle.destroy()
  })

  t.test('npm start serves the stored data, and ends with 0', async (t) => {
    const server = await readyServer(t, { DATA_DIR }, npmStart)
    for (const location of kept) await clerkAt(server.url).get(pathOf(location), 200)
    t.equal(await server.stop('SIGTERM'), 0)
  })
})

const ofLinux = { skip: process.platform !== 'linux' && 'setsid exists only on Linux' }

t.test('one Ctrl-C under npm, which repeats it, finishes a request in flight', ofLinux, async (t) => {
  const env = { DATABASE_URL: await cloneDatabase(t), SHUTDOWN_TIMEOUT: MAX_TIMEOUT }
  const server = await readyServer(t, env, ['setsid', ...npmStart])
  const finish = await requestInFlight(server.url)
  const ended = once(server.process, 'close')
  // Like a terminal, sends the signal to all processes of the group.
  process.kill(-(server.process.pid ?? 0), 'SIGINT')
  await untilClosed(server.url)
  t.equal((await finish()).statusCode, 201)
  t.same(await ended, [0, null])
})

t.test('a second Ctrl-C ends a shutdown that hangs, and repeats of SIGTERM do not', async (t) => {
  const env = { DATABASE_URL: await cloneDatabase(t), SHUTDOWN_TIMEOUT: MAX_TIMEOUT }
  const server = await readyServer(t, env)
  await requestInFlight(server.url)
  let endedAt = Number.POSITIVE_INFINITY
  server.process.once('exit', () => {
    endedAt = performance.now()
  })
  const first = performance.now()
  server.process.kill('SIGINT')
  await untilClosed(server.url)
  for (const signal of ['SIGINT', 'SIGTERM'] as const) server.process.kill(signal)
  // From this time the program treats a SIGINT as a second Ctrl-C.
  await pause(1100)
  t.ok(endedAt > first + 1000, 'a SIGINT within a second is of the same Ctrl-C')
  server.process.kill('SIGTERM')
  t.equal(await server.stop('SIGINT'), 130)
  t.match(server.output(), /second Ctrl-C/)
})

t.test('cuts a request that exceeds SHUTDOWN_TIMEOUT', async (t) => {
  const server = await readyServer(t, { DATABASE_URL: await cloneDatabase(t), SHUTDOWN_TIMEOUT: '100' })
  const headers = { authorization, 'content-type': 'application/json', 'content-length': 100 }
  const slow = request(`${server.url}/ssl-order/v1/party`, { method: 'POST', headers })
  const end = once(slow, 'response').then(
    ([response]) => `answered ${response.statusCode}`,
    (error) => error.code
  )
  slow.write('{')
  // The server has received it once it responds to another request.
  t.equal((await fetch(`${server.url}/health/live`)).status, 200)
  t.equal(await server.stop('SIGTERM'), 0)
  t.equal(await end, 'ECONNRESET')
})

t.test('several instances start on one empty database, one of them with a closed output', async (t) => {
  const DATABASE_URL = (await cloneDatabase(t, 'template0')).replace('localhost', '127.0.0.1')
  const env = { DATABASE_URL, DATABASE_POOL: '2', LOG_LEVEL: 'info' }
  const [first, second, mute] = [
    await startServer(t, env),
    await startServer(t, env),
    await startServer(t, env)
  ]
  mute.process.stdout?.destroy()
  mute.process.stderr?.destroy()
  await Promise.all([first.ready(), second.ready(), mute.ready()])
  const location = await createParty(first.url, 'shared')
  for (const { url } of [second, mute]) await clerkAt(url).get(pathOf(location), 200)
  t.same(await Promise.all([first.stop('SIGTERM'), second.stop('SIGINT'), mute.stop()]), [0, 0, 0])
})
