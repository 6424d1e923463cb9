import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import type { UserType } from '../../src/platform/auth/caller.js'
import { unsignedToken } from '../../src/platform/auth/tokens/unsigned-token.js'
import { runDemo } from '../fixtures/run-command.js'
import { freePort, readyServer, temporaryFolder } from '../fixtures/server.js'

/** The programs of the journeys in sequence, and their output. */
const journeys: readonly { name: string; userType: UserType; of: string; prints: RegExp }[] = [
  {
    name: 'order',
    userType: 'MonitoringResponsible',
    of: 'aarhus-kommune',
    prints: /^submitted http.*\/order\/[0-9a-f-]{36}\n\S+ Order created\.\n(.*\n)+$/
  },
  {
    name: 'provider',
    userType: 'Provider',
    of: 'maaneskaer-medicoteknik',
    prints: /^accepted \S+ Asta Opdigtet\n(accepted .*\n)*fulfilled \S+\n/
  },
  {
    name: 'clerk',
    userType: 'AdministrativeClerk',
    of: 'aarhus-kommune',
    prints: /^listed [1-9]\d* items for http/
  }
]

/** Programs that run until they are stopped, and their tests. */
const endless = [
  ['consumer', 'test/event-api/consumer.system.test.ts'],
  ['receiver', 'test/webhooks/receiver.system.test.ts']
] as const

const [PORT, DATA_DIR] = [String(await freePort()), `${temporaryFolder(t)}/data`]
const server = await readyServer(t, { DATA_DIR, PORT, EVENT_LOOP_DELAY_LIMIT: '0' })
t.match(await runDemo(t, { PORT, DATA_DIR }), { code: 0 })

const tokenOf = ({ userType, of }: (typeof journeys)[number]) =>
  unsignedToken({ userType, organization: `https://fhir.example/Organization/${of}` })

function runExample(name: string, env: { ORIGIN: string; TOKEN: string }) {
  const args = ['--import', 'tsx', join('examples', `${name}.ts`)]
  return spawnSync(process.execPath, args, { encoding: 'utf8', env: { ...process.env, ...env } })
}

for (const journey of journeys) {
  t.test(`examples/${journey.name}.ts`, async (t) => {
    const env = { ORIGIN: server.url, TOKEN: tokenOf(journey) }
    const { status, stdout, stderr } = runExample(journey.name, env)
    t.equal(status, 0, stderr)
    t.match(stdout, journey.prints)
  })
}

t.test('an example that cannot run says in one line what to do', async (t) => {
  const TOKEN = tokenOf({ ...journeys[0], userType: 'Provider' } as (typeof journeys)[number])
  const cases = [
    [{ ORIGIN: server.url, TOKEN: '' }, /^Set TOKEN to a token, .*\n$/],
    [{ ORIGIN: `http://127.0.0.1:${await freePort()}`, TOKEN }, /^No server responds at .*\n$/],
    [{ ORIGIN: server.url, TOKEN }, /^403 forbidden: .*\n$/]
  ] as const
  for (const [env, stderr] of cases) t.match(runExample('order', env), { status: 1, stdout: '', stderr })
})

t.test('every example is run by a test', async (t) => {
  const files = readdirSync('examples').filter((name) => name.endsWith('.ts') && name !== 'connect.ts')
  const run = [...journeys.map(({ name }) => name), ...endless.map(([name]) => name)]
  t.same(files.sort(), run.map((name) => `${name}.ts`).sort())
  for (const [, path] of endless) t.ok(existsSync(path), path)
})
