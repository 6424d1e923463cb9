import postgres from 'postgres'
import t, { type Test } from 'tap'
import { unsignedToken } from '../../src/platform/auth/tokens/unsigned-token.js'
import { commandsIn, type DebianPostgres, debianPostgres, skip } from '../fixtures/debian-postgres.js'
import { playDemo, runCommand } from '../fixtures/run-command.js'
import { type Server, startServer } from '../fixtures/server.js'

const [BASE_BACKUP = '', RESTORE_POINT = '', RESTORE = '', IS_RECOVERING = ''] = commandsIn(
  'docs/operations/backup.md',
  '## Point in time'
)
const WRITERS = 4

/** What a writer had acknowledged: an order by its creation, or its change. */
interface Write {
  order: string
  kind: 'creation' | 'change'
  /** Both in the order of all events of the test. */
  sent: number
  acknowledged: number
}

/** Creates and changes orders while `isWriting`. */
async function write(server: Server, writes: Write[], tick: () => number, isWriting: () => boolean) {
  const organization = 'https://fhir.example/Organization/aarhus-kommune'
  const authorization = unsignedToken({ userType: 'MonitoringResponsible', organization })
  const api = `${server.url}/ssl-order/v1`
  const call = (method: string, url: string, body?: object) =>
    fetch(url, {
      method,
      headers: {
        authorization,
        ...(body && {
          'content-type': method === 'PATCH' ? 'application/json-patch+json' : 'application/json'
        })
      },
      ...(body && { body: JSON.stringify(body) })
    })
  const [known] = (await (await call('GET', `${api}/orders`)).json()) as Record<string, unknown>[]
  const { buyer, seller, receiver } = known ?? {}
  while (isWriting()) {
    const created = tick()
    const response = await call('POST', `${api}/order`, { buyer, seller, receiver })
    const url = response.headers.get('location') ?? ''
    if (response.status !== 201) throw new Error(`${response.status} ${await response.text()}`)
    const order = url.slice(url.lastIndexOf('/') + 1)
    writes.push({ order, kind: 'creation', sent: created, acknowledged: tick() })
    const changed = tick()
    const patch = [{ op: 'replace', path: '/priority', value: true }]
    const change = await call('PATCH', `${api}/order/${order}`, patch)
    if (!change.ok) throw new Error(`${change.status} ${await change.text()}`)
    writes.push({ order, kind: 'change', sent: changed, acknowledged: tick() })
  }
}

/** The trace lines of all orders: their ids, by order. */
async function tracesIn(url: string): Promise<Map<string, string[]>> {
  const sql = postgres(url, { max: 1 })
  const rows = await sql<{ order: string; lines: string[] }[]>`
    select o.id as order, coalesce(array_agg(l.id::text order by l.seq) filter (where l.id is not null), '{}') as lines
    from orders o left join trace_lines l on l.order_id = o.id group by o.id`
  await sql.end()
  return new Map(rows.map(({ order, lines }) => [order, lines]))
}

async function restoreTo(t: Test, server: DebianPostgres, target: string) {
  await server.stop()
  await server.shell(`rm -rf /var/lib/postgresql/15/main.before`)
  await server.shell(RESTORE)
  await server.shell(`echo "${target}" >> /etc/postgresql/15/main/conf.d/restore.conf`)
  await server.start()
  while ((await server.shell(IS_RECOVERING)).trim() !== 'f');
  await server.shell('rm /etc/postgresql/15/main/conf.d/restore.conf')
  const migrated = await runCommand(
    t,
    { DATABASE_URL: server.url('ssl_owner'), DATABASE_SERVER_ROLE: 'ssl_server' },
    'migrate'
  )
  t.equal(migrated.code, 0)
  return tracesIn(server.url())
}

t.test('a base backup and the archive restore what was acknowledged before a moment', { skip }, async (t) => {
  const database = await debianPostgres(t)
  await database.shell('cp deploy/postgres/archive.conf /etc/postgresql/15/main/conf.d/')
  await database.start()
  await database.shell('createdb ssl && psql --dbname=ssl --file=deploy/postgres/roles.sql')
  const roles = { DATABASE_URL: database.url('ssl_owner'), DATABASE_SERVER_ROLE: 'ssl_server' }
  t.equal((await runCommand(t, roles, 'migrate')).code, 0)
  const settings = { EVENT_LOOP_DELAY_LIMIT: '0', DATABASE_URL: database.url('ssl_server') }
  const server = await startServer(t, settings)
  await server.ready()
  await playDemo(t, server.url)

  let [clock, isWriting] = [0, true]
  const tick = () => ++clock
  const writes: Write[] = []
  const writers = Array.from({ length: WRITERS }, () => write(server, writes, tick, () => isWriting))
  const working = Promise.all(writers)
  const progress = async () => {
    const reached = writes.length + 10 * WRITERS
    while (writes.length < reached)
      await Promise.race([working, new Promise((resolve) => setTimeout(resolve, 10))])
  }
  await progress()
  t.match(await database.shell(BASE_BACKUP), /backup successfully verified/)
  await progress()
  const [name, time] = [
    { from: tick(), to: 0 },
    { from: 0, to: 0 }
  ]
  await database.shell(RESTORE_POINT)
  name.to = tick()
  await progress()
  time.from = tick()
  const now = await database.shell(`psql --dbname=ssl -tA --command='select clock_timestamp()'`)
  time.to = tick()
  await progress()
  isWriting = false
  await working
  const live = await tracesIn(database.url())
  t.equal(await server.stop(), 0)

  // The later moment first: the second restore follows the timeline that the first one began.
  for (const [target, { from, to }] of [
    [`recovery_target_time = '${now.trim()}'`, time],
    [`recovery_target_name = 'before_import'`, name]
  ] as const)
    await t.test(target.slice(0, 20), async (t) => {
      const restored = await restoreTo(t, database, target)
      const linesOf = ({ order, kind }: Write) => (restored.get(order) ?? [])[kind === 'creation' ? 0 : 1]
      const before = writes.filter(({ acknowledged }) => acknowledged < from)
      const after = writes.filter(({ sent }) => sent > to)
      t.ok(before.length >= 10 * WRITERS && after.length > 0)
      t.same(
        before.filter((each) => linesOf(each) === undefined),
        [],
        'everything acknowledged before is there'
      )
      t.same(
        after.filter((each) => linesOf(each) !== undefined),
        [],
        'nothing sent after it is there'
      )
      for (const [order, lines] of restored) {
        t.ok(lines.length > 0)
        t.same(lines, live.get(order)?.slice(0, lines.length), 'with the same trace lines')
      }
    })

  const again = await startServer(t, settings)
  await again.ready()
  t.match(await playDemo(t, again.url), { created: 0 }, 'the demo finds its data')
  t.equal(await again.stop(), 0)
})
