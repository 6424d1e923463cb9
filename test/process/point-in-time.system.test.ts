import postgres from 'postgres'
import t, { type Test } from 'tap'
import { callersOf } from '../fixtures/callers.js'
import {
  commandsIn,
  type DebianPostgres,
  debianPostgres,
  skipDebianPostgres
} from '../fixtures/debian-postgres.js'
import { idOf } from '../fixtures/routes/addresses.js'
import { playDemo, runCommand } from '../fixtures/run-command.js'
import { readyServer, type Server } from '../fixtures/server.js'
import { orders, organization, pathOf, replace } from '../fixtures/world.js'

const [BASE_BACKUP = '', RESTORE_POINT = '', RESTORE = '', IS_RECOVERING = ''] = commandsIn(
  'docs/operations/backup.md',
  '## Point in time'
)

/** Creates and changes an order. Returns its id. */
async function write({ url }: Server): Promise<string> {
  const nurse = callersOf(url)('MonitoringResponsible', organization('aarhus-kommune'))
  const [{ buyer, seller, receiver }] = (await nurse.get(`${orders}/orders`, 200)).body
  const order = await nurse.create(`${orders}/order`, { buyer, seller, receiver })
  await nurse.patch(pathOf(order), [replace('/priority', true)], 204)
  return idOf(order)
}

/** The ids of the trace lines of all orders, by order. */
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
  await migrate(t, server)
  return tracesIn(server.url())
}

async function migrate(t: Test, server: DebianPostgres): Promise<void> {
  const roles = { DATABASE_URL: server.url('ssl_owner'), DATABASE_SERVER_ROLE: 'ssl_server' }
  t.equal((await runCommand(t, roles, 'migrate')).code, 0)
}

t.test(
  'a base backup and the archive restore all changes that were acknowledged before a moment',
  { skip: skipDebianPostgres },
  async (t) => {
    const database = await debianPostgres(t)
    await database.shell('cp deploy/postgres/archive.conf /etc/postgresql/15/main/conf.d/')
    await database.start()
    await database.shell('createdb ssl && psql --dbname=ssl --file=deploy/postgres/roles.sql')
    await migrate(t, database)
    const settings = { EVENT_LOOP_DELAY_LIMIT: '0', DATABASE_URL: database.url('ssl_server') }
    const server = await readyServer(t, settings)
    await playDemo(t, server.url)

    const written = [await write(server)]
    t.match(await database.shell(BASE_BACKUP), /backup successfully verified/)
    written.push(await write(server))
    await database.shell(RESTORE_POINT)
    written.push(await write(server))
    const now = await database.shell(`psql --dbname=ssl -tA --command='select clock_timestamp()'`)
    written.push(await write(server))
    const live = await tracesIn(database.url())
    t.equal(await server.stop(), 0)

    // The later moment first: the second restore follows the timeline that the first one began.
    for (const [target, count] of [
      [`recovery_target_time = '${now.trim()}'`, 3],
      [`recovery_target_name = 'before_import'`, 2]
    ] as const)
      await t.test(target.slice(0, 20), async (t) => {
        const restored = await restoreTo(t, database, target)
        t.same(
          written.map((order) => restored.get(order)),
          written.map((order, at) => (at < count ? live.get(order) : undefined)),
          'what was written before is there with its trace, and nothing after'
        )
      })

    const again = await readyServer(t, settings)
    t.match(await playDemo(t, again.url), { created: 0 }, 'the demo finds its data')
    t.equal(await again.stop(), 0)
  }
)
