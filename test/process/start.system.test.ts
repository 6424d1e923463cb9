import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { unsignedToken } from '../../src/home/unsigned-token.js'
import { cloneDatabase } from '../fixtures/app.js'
import { startServer, temporaryFolder } from '../fixtures/server.js'

const authorization = unsignedToken({ userType: 'AdministrativeClerk' })
const party = (name: string) =>
  JSON.stringify({ allowedRoles: ['BUYER'], name, organization: 'https://fhir.example/Organization/o' })

function createParty(url: string, name: string): Promise<Response> {
  const headers = { authorization, 'content-type': 'application/json' }
  return fetch(`${url}/ssl-order/v1/party/`, { method: 'POST', headers, body: party(name) })
}

const statusOf = async (location: string) => (await fetch(location, { headers: { authorization } })).status

/** Missing at first, then with the data of the previous tests. */
const DATA_DIR = `${temporaryFolder(t)}/data`

t.test('starts in an empty folder and again after every kind of end', async (t) => {
  const kept: string[] = []
  let port = ''

  t.test('the first start logs its environment and address', async (t) => {
    const server = await startServer(t, { DATA_DIR, SHUTDOWN_TIMEOUT: '240000' })
    await server.ready()
    port = new URL(server.url).port
    for (const line of [server.url, DATA_DIR, '/ssl-order/v1/docs', '/ssl-catalogue/v1/docs', 'NOT VERIFIED'])
      t.ok(server.output().includes(line), line)
    t.same(await (await fetch(`${server.url}/health/live`)).json(), { status: 'ok' })
    kept.push((await createParty(server.url, 'kept')).headers.get('location') ?? '')
    t.equal(await statusOf(kept[0] ?? ''), 200)

    const body = party('under way')
    const slow = request(`${server.url}/ssl-order/v1/party`, {
      method: 'POST',
      headers: {
        authorization,
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        // The server sends 100 Continue when the request is in flight.
        expect: '100-continue'
      }
    })
    slow.flushHeaders()
    await once(slow, 'continue')
    slow.write(body.slice(0, 10))
    const stopped = server.stop('SIGTERM')
    server.process.kill('SIGTERM')
    while (await fetch(`${server.url}/health/live`).catch(() => undefined)) await pause(5)
    slow.end(body.slice(10))
    const [response] = await once(slow, 'response')
    t.equal(response.statusCode, 201, 'a request in flight is finished')
    response.resume()
    kept.push(response.headers.location)
    t.equal(await stopped, 0)
  })

  t.test('acknowledged writes survive a kill', async (t) => {
    for (let round = 0; round < 2; round++) {
      const server = await startServer(t, { DATA_DIR })
      await server.ready()
      let writing = true
      const writers = Array.from({ length: 8 }, async (_, writer) => {
        while (writing) {
          const response = await createParty(server.url, `writer ${writer}`).catch(() => undefined)
          const location = response?.status === 201 ? response.headers.get('location') : undefined
          if (location) kept.push(location)
        }
      })
      const before = kept.length
      while (kept.length < before + 12) await pause(5)
      t.equal(await server.stop('SIGKILL'), 'SIGKILL')
      writing = false
      await Promise.all(writers)
    }
    t.ok(kept.length > 20, `${kept.length} acknowledged`)
    const server = await startServer(t, { DATA_DIR })
    await server.ready()
    const responses = await Promise.all(
      kept.map((location) => statusOf(server.url + new URL(location).pathname))
    )
    t.same(
      responses,
      kept.map(() => 200)
    )
    const [reference] = kept
    t.not(new URL(server.url).port, port)
    const { body } = await fetch(`${server.url}/ssl-order/v1/party`, {
      method: 'PUT',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ id: reference?.split('/').at(-1), ...JSON.parse(party('renamed')) })
    })
    t.equal(body, null)
    t.equal(await server.stop('SIGINT'), 0)
  })
})

t.test('npm start stops with 0', async (t) => {
  const server = await startServer(t, { DATA_DIR }, [
    // tap hooks into Node processes that it sees; npm fails with these hooks.
    ...['env', '-u', 'NODE_OPTIONS'],
    ...['npm', 'start']
  ])
  await server.ready()
  t.equal(await server.stop('SIGTERM'), 0)
})

t.test('runs and stops with a closed standard output', async (t) => {
  const server = await startServer(t, { DATABASE_URL: await cloneDatabase(t), LOG_LEVEL: 'info' })
  server.process.stdout?.destroy()
  server.process.stderr?.destroy()
  await server.ready()
  t.equal(await server.stop(), 0)
})

t.test('idle connections do not delay shutdown', async (t) => {
  const server = await startServer(t, { DATA_DIR, SHUTDOWN_TIMEOUT: '100000' })
  await server.ready()
  const { port } = new URL(server.url)
  const silent = connect(Number(port), '127.0.0.1')
  const half = connect(Number(port), '127.0.0.1')
  half.write('GET /health/live HTTP/1.1\r\nhost:')
  const agent = new Agent({ keepAlive: true })
  const kept = request(`${server.url}/health/live`, { agent }).end()
  const [response] = await once(kept, 'response')
  response.resume()
  await once(response, 'end')
  for (const socket of [silent, half]) socket.on('error', () => {})
  t.equal(await server.stop('SIGTERM'), 0)
  agent.destroy()
})

t.test('cuts a request that exceeds SHUTDOWN_TIMEOUT', async (t) => {
  const server = await startServer(t, { DATABASE_URL: await cloneDatabase(t), SHUTDOWN_TIMEOUT: '100' })
  await server.ready()
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

t.test('several instances start on one empty database', async (t) => {
  const DATABASE_URL = (await cloneDatabase(t, 'template0')).replace('localhost', '127.0.0.1')
  const servers = await Promise.all(
    Array.from({ length: 3 }, () => startServer(t, { DATABASE_URL, DATABASE_POOL: '2' }))
  )
  await Promise.all(servers.map((server) => server.ready()))
  const [first, second] = servers
  const location = (await createParty(first?.url ?? '', 'shared')).headers.get('location') ?? ''
  t.equal(await statusOf((second?.url ?? '') + new URL(location).pathname), 200)
  t.same(await Promise.all(servers.map((server) => server.stop())), [0, 0, 0])
})

t.test('all invalid settings are reported', async (t) => {
  const server = await startServer(t, { ENVIRONMENT: 'prod', LOG_LEVEL: 'loud' })
  const [code] = await once(server.process, 'close')
  t.equal(code, 1)
  for (const name of ['LOG_LEVEL', 'DATABASE_URL', 'PUBLIC_URL', 'TOKEN_ISSUERS'])
    t.match(server.output(), new RegExp(`^ {2}${name} `, 'm'))
})

t.test('an unusable database is reported with what to do', async (t) => {
  const url = await cloneDatabase(t)
  const cases = [
    [{ port: '1' }, /ECONNREFUSED.*\nThe database does not respond\. Start it/],
    [{ pathname: '/not-there' }, /"not-there" does not exist\nCreate the database/]
  ] as const
  for (const [difference, told] of cases) {
    const server = await startServer(t, { DATABASE_URL: Object.assign(new URL(url), difference).href })
    const [code] = await once(server.process, 'close')
    t.equal(code, 1)
    t.match(server.output(), told)
  }
})
