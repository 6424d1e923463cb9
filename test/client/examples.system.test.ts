import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { fill, parseHttpFile } from '../../scripts/examples/http-file.js'
import type { UserType } from '../../src/platform/auth/caller.js'
import { unsignedToken } from '../../src/platform/auth/tokens/unsigned-token.js'
import { cloneDatabase } from '../fixtures/app.js'
import { runDemo } from '../fixtures/run-command.js'
import { freePort, startServer } from '../fixtures/server.js'

/** The examples in their order: as requests, and as programs with the client that print something. */
const journeys: readonly { name: string; userType: UserType; of: string; prints?: RegExp }[] = [
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
  },
  { name: 'events', userType: 'MonitoringResponsible', of: 'aarhus-kommune' }
]

/** Programs that run until they are stopped, and their tests. */
const endless = [
  ['consumer', 'test/event-api/consumer.system.test.ts'],
  ['receiver', 'test/webhooks/listen.system.test.ts']
] as const

const PORT = String(await freePort())
const server = await startServer(t, {
  DATABASE_URL: await cloneDatabase(t),
  PORT,
  EVENT_TARGETS: 'http://127.0.0.1:8080',
  EVENT_LOOP_DELAY_LIMIT: '0'
})
await server.ready()
t.match(await runDemo(t, { PORT }), { code: 0 })

const tokenOf = ({ userType, of }: (typeof journeys)[number]) =>
  unsignedToken({ userType, organization: `https://fhir.example/Organization/${of}` })

/** Sends the requests of a `.http` file as an editor does. Returns their statuses by name. */
async function sendAll(name: string, token: string): Promise<Record<string, number>> {
  const { variables, requests } = parseHttpFile(readFileSync(join('examples', `${name}.http`), 'utf8'))
  const known: Record<string, string> = { ...variables, origin: server.url, token }
  const responses = new Map<string, { headers: Headers; body: unknown }>()
  const lookUp = (placeholder: string): string => {
    const [, request = '', part, path = ''] =
      /^(\w+)\.response\.(headers|body)\.(.+)$/.exec(placeholder) ?? []
    const response = responses.get(request)
    if (!response) return known[placeholder] ?? `no value of ${placeholder}`
    if (part === 'headers') return response.headers.get(path) ?? ''
    const keys = [...path.matchAll(/\w+/g)].map(String)
    return String(keys.reduce((value, key) => (value as Record<string, unknown>)?.[key], response.body))
  }
  const statuses: Record<string, number> = {}
  for (const { name, method, url, headers, body } of requests) {
    const filled = Object.entries(headers).map(([header, value]) => [header, fill(value, lookUp)])
    const response = await fetch(fill(url, lookUp), {
      method,
      headers: Object.fromEntries(filled),
      ...(body === undefined ? {} : { body: fill(body, lookUp) })
    })
    const text = await response.text()
    responses.set(name, { headers: response.headers, body: text === '' ? undefined : JSON.parse(text) })
    statuses[name] = response.status
  }
  return statuses
}

for (const journey of journeys) {
  t.test(`examples/${journey.name}.http`, async (t) => {
    const statuses = await sendAll(journey.name, tokenOf(journey))
    t.ok(Object.keys(statuses).length >= 3)
    for (const [name, status] of Object.entries(statuses)) t.ok(status < 300, `${name}: ${status}`)
  })

  const { name, prints } = journey
  if (!prints) continue
  t.test(`examples/${name}.ts`, async (t) => {
    const env = { ...process.env, ORIGIN: server.url, TOKEN: tokenOf(journey) }
    const args = ['--import', 'tsx', join('examples', `${name}.ts`)]
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', env })
    t.equal(status, 0, stderr)
    t.match(stdout, prints)
  })
}

t.test('every example is run by a test', async (t) => {
  const files = readdirSync('examples').filter((name) => /\.(ts|http)$/.test(name) && name !== 'connect.ts')
  const run = [
    ...journeys.flatMap(({ name, prints }) => [`${name}.http`, ...(prints ? [`${name}.ts`] : [])]),
    ...endless.map(([name]) => `${name}.ts`)
  ]
  t.same(files.sort(), run.sort())
  for (const [, path] of endless) t.ok(existsSync(path), path)
})
