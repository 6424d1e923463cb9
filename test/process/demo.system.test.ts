import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import postgres from 'postgres'
import t from 'tap'
import { cloneDatabase } from '../fixtures/app.js'
import { callersOf } from '../fixtures/callers.js'
import { commandsIn } from '../fixtures/debian-postgres.js'
import { runDemo } from '../fixtures/run-command.js'
import { freePort, startServer } from '../fixtures/server.js'
import { orders, organization, transitionTo } from '../fixtures/world.js'

/** No load shedding while the machine is busy with other tests. */
const patient = { EVENT_LOOP_DELAY_LIMIT: '0' }

const nurseAt = (url: string, of: string) => callersOf(url)('MonitoringResponsible', organization(of))

async function ordersIn(databaseUrl: string): Promise<number> {
  const sql = postgres(databaseUrl, { max: 1 })
  const [row] = await sql`select count(*)::int as count from orders`
  await sql.end()
  return row?.count
}

/**
 * Runs the calls of the README. Returns the output of each, and the output that the README shows.
 */
async function callsOfReadme(port: string) {
  const [commands = ''] = commandsIn('README.md', '## Three calls')
  const here = commands.replaceAll('127.0.0.1:3000', `127.0.0.1:${port}`)
  const script = here.replaceAll('curl ', 'curl -sS ').replaceAll(/^# .*$/gm, "printf '\\n==\\n'")
  // tap hooks into Node processes that it sees; npm fails with these hooks.
  const args = ['-u', 'NODE_OPTIONS', 'bash', '-euc', script]
  const child = spawn('env', args, {
    env: { ...process.env, PORT: port },
    stdio: ['ignore', 'pipe', 'inherit']
  })
  const outputs = (await text(child.stdout)).split('\n==\n')
  const expected = [...here.matchAll(/^# (.*)$/gm)]
  return expected.map(([, response = ''], at) => ({ response, output: outputs[at] ?? '' }))
}

/** The end of the story: one device is at home, another device was fetched. */
const atHome =
  /What Asta Opdigtet has at home\n.*\n +in use +Blodtryksmåler til overarm, serial number UA767-513228, from [\d-]+\n +ended +Personvægt, serial number UC352-204117, from [\d-]+, until [\d-]+: RETURNED\n/

t.test('the demo reuses its earlier data', async (t) => {
  const DATABASE_URL = await cloneDatabase(t)
  const PORT = String(await freePort())
  const server = await startServer(t, { ...patient, DATABASE_URL, PORT })
  await server.ready()

  const first = await runDemo(t, { PORT })
  t.equal(first.code, 0, first.output)
  t.notMatch(first.output, /Waiting for the server/)
  t.match(first.output, /What happened to order AAK-0001/)
  t.match(first.output, /ACCEPTED → FULFILLED/)
  t.ok(first.created > 30)
  t.equal(await ordersIn(DATABASE_URL), 13)
  t.match(first.output, atHome)

  t.test('a second run creates nothing, even if a user has accepted an order', async (t) => {
    const provider = callersOf(server.url)('Provider', organization('maaneskaer-medicoteknik'))
    const [{ id }] = (await provider.get(`${orders}/orders?status=SUBMITTED`, 200)).body
    await provider.patch(`${orders}/order/${id}`, transitionTo('ACCEPTED'), 204)
    const again = await runDemo(t, { PORT })
    t.match(again, { code: 0, created: 0 })
    t.ok(again.found > 25)
    t.match(again.output, /ACCEPTED → FULFILLED/)
    t.equal(await ordersIn(DATABASE_URL), 13)
  })

  t.test('reuses its data under another address', async (t) => {
    const port = String(await freePort())
    const PUBLIC_URL = `http://localhost:${port}`
    const other = await startServer(t, { ...patient, DATABASE_URL, PORT: port, PUBLIC_URL })
    await other.ready()
    t.match(await runDemo(t, { PUBLIC_URL }), { code: 0, created: 0 })
    t.equal(await ordersIn(DATABASE_URL), 13)
  })

  t.test('the calls of the README get the responses below them', async (t) => {
    const calls = await callsOfReadme(PORT)
    t.equal(calls.length, 3)
    for (const { response, output } of calls) {
      const parts = response.split('…').map((part) => part.trim().replace(/[\\[\]{}()*+?.^$|]/g, '\\$&'))
      t.match(output, new RegExp(parts.join('[^]*')))
    }
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
    t.equal(await ordersIn(fresh), 13)
    t.equal(await next.stop(), 0)
  })
})

t.test('the demo says what to do without a server', async (t) => {
  const PORT = String(await freePort())
  const away = await runDemo(t, { PORT })
  t.equal(away.code, 1)
  t.match(away.output, `Creates example data on http://127.0.0.1:${PORT}.`)
  t.equal(away.output.match(/^Waiting for the server\. If none runs, start it with "npm start"/gm)?.length, 1)
  t.match(
    away.output,
    new RegExp(`No server responds at http://127.0.0.1:${PORT}\\. Start one with "npm start"`)
  )
  const wrong = await runDemo(t, { PORT: 'http' })
  t.equal(wrong.code, 1)
  t.match(wrong.output, /PORT must be a whole number/)
})
