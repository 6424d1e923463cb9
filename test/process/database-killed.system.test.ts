import { once } from 'node:events'
import t from 'tap'
import { callersOf } from '../fixtures/callers.js'
import { postmasterOf } from '../fixtures/kill.js'
import { readyServer, temporaryFolder } from '../fixtures/server.js'
import { orders, organization, pathOf } from '../fixtures/world.js'

const clerkAt = (url: string) => callersOf(url)('AdministrativeClerk')
const DATA_DIR = `${temporaryFolder(t)}/data`

t.test('a killed embedded PostgreSQL ends the program, and the next start has its data', async (t) => {
  const server = await readyServer(t, { DATA_DIR })
  const body = { allowedRoles: ['BUYER'], name: 'kept', organization: organization('o') }
  const party = await clerkAt(server.url).create(`${orders}/party`, body)
  const ended = once(server.process, 'close')
  process.kill(postmasterOf(DATA_DIR), 'SIGKILL')
  t.match(await ended, [1])
  t.match(server.output(), /PostgreSQL exited unexpectedly \(SIGKILL\).*Start this program again/)
  t.notMatch(server.output(), /^ +at /m, 'without a stack trace')

  const next = await readyServer(t, { DATA_DIR })
  await clerkAt(next.url).get(pathOf(party), 200)
  t.equal(await next.stop(), 0)
})
