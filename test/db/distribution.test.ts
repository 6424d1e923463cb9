import { randomUUID } from 'node:crypto'
import t, { type Test } from 'tap'
import { placements } from '../../src/commands/distribute.js'
import { distribute } from '../../src/db/distribution.js'
import { migrate } from '../../src/db/migrate.js'
import { createClusterDatabase, dropDistributedDatabase, onEachNode } from '../fixtures/distributed.js'
import { moreMigrations } from '../fixtures/migrations.js'

const skip =
  process.env.TEST_CLUSTER !== 'true' && 'TEST_DATABASE_URL is not the coordinator of a Citus cluster'

/** An empty database on every node of the cluster, dropped when the test ends. */
async function clusterDatabase(t: Test): Promise<{ url: string; name: string }> {
  const server = process.env.TEST_DATABASE_URL ?? ''
  const name = `test_${randomUUID().replaceAll('-', '')}`
  const url = await createClusterDatabase(server, name)
  t.teardown(() => dropDistributedDatabase(server, name))
  return { url, name }
}

/** Refuses to change tables in a session with a time limit. */
const refuseLimits = `
  create function refuse_limits() returns event_trigger language plpgsql as $$ begin
    if current_setting('statement_timeout') <> '0' then raise exception '% with a time limit', tg_tag; end if;
  end $$;
  create event trigger refuse_limits on ddl_command_start when tag in ('CREATE TABLE', 'ALTER TABLE', 'CREATE INDEX')
    execute function refuse_limits()`

t.test(
  'the time limit of requests is not one of distributing and migrating, on any node',
  { skip },
  async (t) => {
    const { url, name } = await clusterDatabase(t)
    await onEachNode(url, refuseLimits)
    await onEachNode(url, `alter database ${name} set statement_timeout = '600s'`)
    const lines = await distribute(url, placements)
    t.equal(lines.length, placements.length)
    t.notOk(
      lines.some((line) => line.endsWith(', as before')),
      'now'
    )
    await migrate(url, { folder: moreMigrations(t, 'ALTER TABLE "orders" ADD COLUMN "newer" text;') })
  }
)

t.test('what is distributed is left as it is', { skip }, async (t) => {
  const { url } = await clusterDatabase(t)
  await distribute(url, placements)
  for (const line of await distribute(url, placements)) t.match(line, /: on the coordinator$|, as before$/)
})
