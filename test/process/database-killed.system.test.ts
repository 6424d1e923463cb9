import { once } from 'node:events'
import t from 'tap'
import { unsignedToken } from '../../src/platform/auth/tokens/unsigned-token.js'
import { postmasterOf } from '../fixtures/kill.js'
import { startServer, temporaryFolder } from '../fixtures/server.js'

const authorization = unsignedToken({ userType: 'AdministrativeClerk' })
const headers = { authorization, 'content-type': 'application/json' }
const party = JSON.stringify({
  allowedRoles: ['BUYER'],
  name: 'kept',
  organization: 'https://fhir.example/Organization/o'
})
const DATA_DIR = `${temporaryFolder(t)}/data`
const crash = () => process.kill(postmasterOf(DATA_DIR), 'SIGKILL')

t.test('a killed embedded PostgreSQL ends the program, and the next start has its data', async (t) => {
  const server = await startServer(t, { DATA_DIR })
  await server.ready()
  const created = await fetch(`${server.url}/ssl-order/v1/party`, { method: 'POST', headers, body: party })
  const { pathname } = new URL(created.headers.get('location') ?? '')
  const ended = once(server.process, 'close')
  crash()
  t.match(await ended, [1])
  t.match(server.output(), /PostgreSQL exited unexpectedly \(SIGKILL\).*Start this program again/)
  t.notMatch(server.output(), /^ +at /m, 'without a stack trace')

  const next = await startServer(t, { DATA_DIR })
  await next.ready()
  t.equal((await fetch(next.url + pathname, { headers })).status, 200)
  t.equal(await next.stop(), 0)
})
