import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import postgres from 'postgres'
import t from 'tap'
import { exampleIds } from '../../scripts/demo/example-ids.js'
import { cloneDatabase } from '../fixtures/app.js'
import { callersOf } from '../fixtures/callers.js'
import { commandsIn } from '../fixtures/debian-postgres.js'
import type { Event } from '../fixtures/events/reading.js'
import { runDemo } from '../fixtures/run-command.js'
import { freePort, startServer, temporaryFolder } from '../fixtures/server.js'
import { orders, organization, pathOf } from '../fixtures/world.js'

/** No load shedding while the machine is busy with other tests. */
const patient = { EVENT_LOOP_DELAY_LIMIT: '0' }

const nurseAt = (url: string, of: string) => callersOf(url)('MonitoringResponsible', organization(of))

/** The events of orders and lines that an organization sees. */
async function orderEvents(url: string, of: string): Promise<Event[]> {
  const { body } = await nurseAt(url, of).get(`${orders}/events`, 200)
  return body.filter(({ type }: Event) => type.startsWith('order'))
}

/** An event as the demo prints it. */
const textOf = ({ type, subject, data: { oldStatus, newStatus } }: Event): string => {
  const statuses = [oldStatus, newStatus].filter(Boolean).join(' → ')
  const text = `${type.replaceAll('-', ' ').replace('.', ` …${subject.slice(-6)} `)}`
  return statuses === '' ? text : `${text}: ${statuses}`
}

async function ordersIn(databaseUrl: string): Promise<number> {
  const sql = postgres(databaseUrl, { max: 1 })
  const [row] = await sql`select count(*)::int as count from orders`
  await sql.end()
  return row?.count
}

/** Runs the calls of the README. Returns the output of each, and what the README says of it. */
async function callsOfReadme(port: string) {
  const [commands = ''] = commandsIn('README.md', '## Three calls')
  const here = commands.replaceAll('127.0.0.1:3000', `127.0.0.1:${port}`)
  const script = here.replaceAll('curl ', 'curl -sS ').replaceAll(/^# .*$/gm, "printf '\\n==\\n'")
  // tap hooks into Node processes that it sees; npm fails with these hooks.
  const args = ['-u', 'NODE_OPTIONS', 'bash', '-euc', script]
  const child = spawn('env', args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const outputs = (await text(child.stdout)).split('\n==\n')
  const expected = [...here.matchAll(/^# (.*)$/gm)]
  return expected.map(([, response = ''], at) => ({ response, output: outputs[at] ?? '' }))
}

/** The end of the story: one device is at home, another one was fetched. */
const atHome =
  /What Asta Opdigtet has at home\n.*\n +in use +Blodtryksmåler til overarm, serial number UA767-513228, from [\d-]+\n +ended +Personvægt, serial number UC352-204117, from [\d-]+, until [\d-]+: RETURNED\n/

t.test('the demo finds its earlier data', async (t) => {
  const DATABASE_URL = await cloneDatabase(t)
  const PORT = String(await freePort())
  const server = await startServer(t, { ...patient, DATABASE_URL, PORT })
  await server.ready()

  const first = await runDemo(t, { PORT })
  t.equal(first.code, 0, first.output)
  t.match(first.output, /What happened to order AAK-0001/)
  t.match(first.output, /ACCEPTED → FULFILLED/)
  t.ok(first.created > 30)
  t.equal(await ordersIn(DATABASE_URL), 6)
  t.match(first.output, atHome)

  t.test('each event of the orders is printed once and in order', async (t) => {
    const printed = [...first.output.matchAll(/^ {4}event {3}(.*)$/gm)].map(([, text = '']) => text)
    // The consumers of the buyers print beside each other.
    let total = 0
    for (const buyer of ['aarhus-kommune', 'viborg-kommune', 'region-midtjylland']) {
      const events = await orderEvents(server.url, buyer)
      const own = new Set(events.map(({ subject }) => subject.slice(-6)))
      const isOwn = (text: string) => own.has(/…(.{6})/.exec(text)?.[1] ?? '')
      t.same(printed.filter(isOwn), events.map(textOf), buyer)
      total += events.length
    }
    t.equal(printed.length, total)
    const [order] = await orderEvents(server.url, 'aarhus-kommune')
    const ofOrder = `order …${order?.subject.slice(-6)} `
    t.same(
      printed.filter((text) => text.startsWith(ofOrder)).map((text) => text.slice(ofOrder.length)),
      [
        ...['created: DRAFT', 'submitted: DRAFT → SUBMITTED'],
        ...['priority changed', 'awaiting changed', 'note added'],
        ...['status changed: SUBMITTED → ACCEPTED', 'awaiting changed', 'note added', 'note added'],
        'status changed: ACCEPTED → FULFILLED'
      ]
    )
  })

  t.test('a second run creates nothing', async (t) => {
    const again = await runDemo(t, { PORT })
    t.match(again, { code: 0, created: 0 })
    t.notMatch(again.output, /^ {4}event /m)
    t.ok(again.found > 25)
    t.match(again.output, /ACCEPTED → FULFILLED/)
    t.equal(await ordersIn(DATABASE_URL), 6)
  })

  t.test('finds its data under another address', async (t) => {
    const port = String(await freePort())
    const PUBLIC_URL = `http://localhost:${port}`
    const other = await startServer(t, { ...patient, DATABASE_URL, PORT: port, PUBLIC_URL })
    await other.ready()
    t.match(await runDemo(t, { PUBLIC_URL }), { code: 0, created: 0 }, 'by PUBLIC_URL')
    t.match(await runDemo(t, {}, '--url', other.url), { code: 0, created: 0 }, 'by --url')
    t.equal(await ordersIn(DATABASE_URL), 6)
  })

  t.test('repeats an order whose story was interrupted', async (t) => {
    const nurse = nurseAt(server.url, 'aarhus-kommune')
    const sql = postgres(DATABASE_URL, { max: 1 })
    await sql`update orders set name = name || ' (elsewhere)', identifiers = '[]'
      where identifiers @> '[{"value": "AAK-0001"}]'`
    const [{ buyer, seller, receiver }] = (await nurse.get(`${orders}/orders`, 200)).body
    const identifiers = [{ system: 'https://aarhus.example/rekvisition', value: 'AAK-0001' }]
    const draft = { buyer, seller, receiver, identifiers, notes: [{ note: 'interrupted' }] }
    await nurse.create(`${orders}/order`, draft)
    await sql.end()
    const again = await runDemo(t, { PORT })
    t.match(again, { code: 0, created: 3 }, 'the order and its two lines')
    t.match(again.output, /ACCEPTED → FULFILLED/)
    t.match(await runDemo(t, { PORT }), { code: 0, created: 0 })
  })

  t.test('plays the story again on a new database at the same address', async (t) => {
    t.equal(await server.stop(), 0)
    const fresh = await cloneDatabase(t)
    const next = await startServer(t, { ...patient, DATABASE_URL: fresh, PORT })
    await next.ready()
    const told = await runDemo(t, { PORT })
    t.match(told, { code: 0, created: first.created })
    t.equal(await ordersIn(fresh), 6)
    t.equal(await next.stop(), 0)
  })
})

t.test('a reset deletes all data of the embedded database first', async (t) => {
  const PORT = String(await freePort())
  const DATA_DIR = `${temporaryFolder(t)}/data`
  const idle = await runDemo(t, { PORT, DATA_DIR }, '--reset')
  t.match(idle, { code: 1, output: /npm start/ })
  const server = await startServer(t, { ...patient, DATA_DIR, PORT })
  await server.ready()
  const first = await runDemo(t, { PORT, DATA_DIR })
  t.match(await runDemo(t, { PORT, DATA_DIR }, '--reset'), { code: 0, created: first.created })
  t.match(await runDemo(t, { PORT, DATA_DIR }), { code: 0, created: 0 })
  await t.test('the calls of the README get the responses below them', async (t) => {
    const calls = await callsOfReadme(PORT)
    t.equal(calls.length, 3)
    for (const { response, output } of calls) {
      const parts = response.split('…').map((part) => part.trim().replace(/[\\[\]{}()*+?.^$|]/g, '\\$&'))
      t.match(output, new RegExp(parts.join('[^]*')))
    }
  })
  await t.test('every event and reference names a resource that exists', async (t) => {
    const nurse = nurseAt(server.url, 'aarhus-kommune')
    const events: Event[] = (await nurse.get(`${orders}/events`, 200)).body
    const subjects = new Set(events.map(({ subject }) => subject))
    t.match([...subjects].join(), `/party/${exampleIds.aarhus}`)
    for (const subject of subjects) await nurse.get(pathOf(subject), 200)
  })
  const DATABASE_URL = 'postgres://127.0.0.1:1/elsewhere'
  const refused = await runDemo(t, { PORT, DATABASE_URL }, '--reset')
  t.match(refused, { code: 1, output: /Unset DATABASE_URL/ })
  t.match(await runDemo(t, { PORT }, '--reset', '--url', server.url), { code: 1, output: /^npm run demo/ })
  t.equal(await server.stop(), 0)
})

t.test('the demo says what to do without a server', async (t) => {
  const PORT = String(await freePort())
  const away = await runDemo(t, { PORT })
  t.equal(away.code, 1)
  t.match(
    away.output,
    new RegExp(`No server responds at http://127.0.0.1:${PORT}\\. Start one with "npm start"`)
  )
  const wrong = await runDemo(t, { PORT: 'http' })
  t.equal(wrong.code, 1)
  t.match(wrong.output, /PORT must be a whole number/)
  t.match(await runDemo(t, {}, '--url', 'nowhere'), { code: 1, output: /npm run demo/ })
})
