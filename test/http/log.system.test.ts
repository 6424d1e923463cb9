import { once } from 'node:events'
import postgres from 'postgres'
import t from 'tap'
import { logLine } from '../../src/platform/logging/log-line.js'
import { cloneDatabase, testApp } from '../fixtures/app.js'
import { callersOf } from '../fixtures/callers.js'
import { readyServer, startServer } from '../fixtures/server.js'
import { headOf, listenOnLoopback, wire } from '../fixtures/wire.js'
import { orders, organization } from '../fixtures/world.js'

const planted = 'Zaphod-4711'
const search = `?patient=https%3A%2F%2Ffhir.example%2FPatient%2F${planted}&q=${planted}`

t.test('texts of libraries are not logged', async (t) => {
  const { app, lines } = await testApp(t)
  app.get('/twice', { config: { access: 'public' } }, (_request, reply) => {
    reply.send('first')
    reply.send('second')
  })
  app.get('/text', { config: { access: 'public' } }, async ({ log, raw }) => {
    log.warn(`Something about ${raw.url}`)
    log.info({ req: raw, url: raw.url }, `and ${planted}`)
    log.error(new Error(planted), planted)
    log.error({ err: Object.assign(new Error(planted), { code: 'E_TEST' }) })
    log.warn('%s', planted)
    log.warn(null, planted)
    log.warn(logLine('a line of the program', { count: 1 }))
    return {}
  })
  const port = await listenOnLoopback(app)
  for (const path of ['/twice', '/text']) {
    const { socket, closed } = wire(t, port)
    socket.end(headOf('GET', path + search))
    t.match(await closed(), [{ status: 200 }], path)
  }
  const logged = lines.map((line) => JSON.parse(line))
  const foreign = logged.filter(({ msg }) => msg === 'Log line of a library, text withheld')
  t.ok(
    foreign.some(({ cause }) => cause?.code === 'FST_ERR_REP_ALREADY_SENT'),
    'a second reply is logged by its code'
  )
  t.ok(
    foreign.some(({ cause, level }) => cause?.code === 'E_TEST' && level === 50),
    'an error keeps its level and code'
  )
  for (const { from, reqId } of foreign) t.match(from[0], /:\d+:\d+\)?$/, `${reqId}: its source`)
  t.match(
    logged.find(({ msg }) => msg === 'a line of the program'),
    { count: 1 }
  )
  t.notMatch(lines.join(''), new RegExp(planted))
})

/** Makes the planted text at run time: stack frames contain the code. */
const text = planted
  .split('-')
  .map((part) => `'${part}'`)
  .join(" + '-' + ")

/** Runs code once in the server process, as soon as the program handles uncaught errors. */
function inside(code: string): string {
  const script = `const timer = setInterval(() => {
    if (process.listenerCount('uncaughtException') === 0) return
    clearInterval(timer)
    ${code}
  }, 20)`
  return `--import=data:text/javascript,${encodeURIComponent(script)}`
}

t.test('at level debug, a request is logged with its organization and its waiting times', async (t) => {
  const received = { method: 'POST', route: `${orders}/party`, organization: organization('region') }
  for (const [LOG_LEVEL, isTimed] of [
    ['debug', true],
    ['info', false]
  ] as const) {
    const { lines, as } = await testApp(t, { LOG_LEVEL })
    const clerk = as('AdministrativeClerk', organization('region'))
    const body = { allowedRoles: ['BUYER'], name: planted, organization: organization('region') }
    await clerk.create(`${orders}/party`, body)
    const logged = lines.map((line) => JSON.parse(line)).find(({ method }) => method === 'POST')
    if (isTimed) t.match(logged, received)
    else t.notOk('organization' in logged)
    const steps = logged.timings?.map(({ step }: { step: string }) => step) ?? []
    for (const step of ['authentication', 'parties insert', 'commit'])
      t.equal(steps.includes(step), isTimed, `${LOG_LEVEL}: ${step} in ${steps}`)
  }
})

t.test('process warnings are logged without their texts', async (t) => {
  const server = await startServer(t, {
    DATABASE_URL: await cloneDatabase(t),
    NODE_OPTIONS: inside(`process.emitWarning(${text}, { code: 'W_TEST', detail: ${text} })`)
  })
  while (!server.output().includes('W_TEST')) await once(server.process.stderr ?? server.process, 'data')
  await server.ready()
  t.notMatch(server.output(), new RegExp(planted))
})

t.test('uncaught errors end the process without their texts', async (t) => {
  for (const code of [
    `throw new Error(${text})`,
    `Promise.reject(new Error(${text}))`,
    `Promise.reject(${text})`
  ]) {
    const server = await startServer(t, {
      DATABASE_URL: await cloneDatabase(t),
      NODE_OPTIONS: inside(code)
    })
    await once(server.process, 'close')
    t.equal(server.process.exitCode, 1, code)
    t.match(server.output(), /"name":"\w+"/, code)
    t.notMatch(server.output(), new RegExp(planted), code)
  }
})

t.test('stack frames name the files of the source', async (t) => {
  const databaseUrl = await cloneDatabase(t)
  const server = await readyServer(t, { DATABASE_URL: databaseUrl })
  const sql = postgres(databaseUrl, { max: 1 })
  await sql`alter table parties rename to absent`
  await sql.end()
  const clerk = callersOf(server.url)('AdministrativeClerk', organization('region'))
  const { status } = await clerk.get(`${orders}/parties`)
  t.equal(status, 500)
  await server.stop()
  t.match(server.output(), /"frames":\["at [^"]*\(?src\/[\w/.-]+\.ts:\d+/)
})
