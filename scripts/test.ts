import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import postgres from 'postgres'
import { migrate } from '../src/db/migrate.js'
import { startEmbeddedPostgres } from '../src/embedded-postgres/index.js'
import { clusterNodes } from '../test/fixtures/distributed.js'
import { type PgBouncer, startPgBouncer } from '../test/fixtures/pgbouncer.js'
import { createServerRole, grantServerRole, SERVER_ROLE } from '../test/fixtures/server-role.js'
import { bundle } from './bundle.js'
import { partitionOrders } from './test/partition-orders.js'
import { reportProgress } from './test/progress.js'
import { runFiles } from './test/run-files.js'
import { schedule, testFilesIn } from './test/schedule.js'

/*
 * Runs the tests on a real PostgreSQL: the one of TEST_DATABASE_URL, which may be the coordinator of
 * a Citus cluster, or an embedded one in a temporary folder. A migrated template database is created
 * once; each test file works on a clone of it, its servers with a role that does not own it.
 * Everything is compiled once, for the test files and the servers that they start. Arguments are
 * test files and folders; default: `test`. With TEST_PARTITIONED=true the order family is partitioned
 * by the order's id, and servers send one order per statement. With TEST_POOLER=true the servers
 * reach their databases through PgBouncer.
 */

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    // More than there are processors, because some files mostly wait.
    jobs: { type: 'string', default: String(availableParallelism() + 2) },
    timeout: { type: 'string', default: '900' }
  }
})
const TEMPLATE_DATABASE = 'ssl_template'
const OUTPUT_FOLDER = join('dist', 'testing')
const folder = mkdtempSync(join(tmpdir(), 'ssl-test-'))
/** The data need not survive the tests, and no clone lives long enough for vacuum. */
const UNSAFE_FAST_SETTINGS = {
  ...{ fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: '400' },
  ...{ autovacuum: 'off', wal_level: 'minimal', max_wal_senders: '0', jit: 'off' }
}
/** Fewer connections to a database than its server opens, so that they are lent in turn. */
const POOLER_SETTINGS = { default_pool_size: '3' }
const stop = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stop.abort())

async function main(): Promise<number> {
  compile()
  // Tests start servers from the bundle, as in production.
  await bundle(join(OUTPUT_FOLDER, 'program'))
  const externalUrl = process.env.TEST_DATABASE_URL
  const server = externalUrl
    ? undefined
    : await startEmbeddedPostgres({ dataDir: join(folder, 'data'), settings: UNSAFE_FAST_SETTINGS })
  let pooler: PgBouncer | undefined
  try {
    const url = externalUrl ?? server?.url ?? ''
    await createServerRole(url)
    await createTemplate(url)
    if (process.env.TEST_POOLER === 'true') pooler = await startPgBouncer(url, POOLER_SETTINGS)
    return await run({
      ...process.env,
      TEST_DATABASE_URL: url,
      TEST_TEMPLATE: TEMPLATE_DATABASE,
      TEST_SERVER_ROLE: SERVER_ROLE,
      TEST_CLUSTER: String(await isCluster(url)),
      ...(pooler && { TEST_POOLER_URL: pooler.through(url) })
    })
  } finally {
    await pooler?.stop()
    await server?.stop()
  }
}

/**
 * Deletes the output first, so that no deleted test remains. Types are checked by `npm run types`.
 */
function compile(): void {
  rmSync(OUTPUT_FOLDER, { recursive: true, force: true })
  const tsc = join('node_modules', '.bin', 'tsc')
  const { status } = spawnSync(tsc, ['-p', 'tsconfig.test.json'], { stdio: 'inherit' })
  if (status !== 0) throw new Error('The tests do not compile.')
}

async function createTemplate(url: string): Promise<void> {
  const client = postgres(url, { max: 1, onnotice: () => {} })
  await client.unsafe(`drop database if exists ${TEMPLATE_DATABASE}`)
  await client.unsafe(`create database ${TEMPLATE_DATABASE}`)
  await client.end()
  const template = Object.assign(new URL(url), { pathname: `/${TEMPLATE_DATABASE}` }).href
  if (process.env.TEST_PARTITIONED === 'true') {
    await migrate(template)
    const sql = postgres(template, { max: 1, onnotice: () => {} })
    await partitionOrders(sql)
    await sql.end()
  }
  await grantServerRole(template)
}

async function isCluster(url: string): Promise<boolean> {
  const sql = postgres(url, { max: 1 })
  const nodes = await clusterNodes(sql)
  await sql.end()
  return nodes.length > 0
}

/** The compiled test file of a source file, or those of a folder. */
const compiledTestFiles = (name: string): string[] =>
  name.endsWith('.ts')
    ? [join(OUTPUT_FOLDER, name.replace(/\.ts$/, '.js'))]
    : testFilesIn(join(OUTPUT_FOLDER, name))

async function run(env: NodeJS.ProcessEnv): Promise<number> {
  const files = (positionals.length > 0 ? positionals : ['test']).flatMap(compiledTestFiles)
  const { onEnd, summary } = reportProgress(files.length, process.env.THOROUGH === 'true')
  const { signal } = stop
  await runFiles(schedule(files), {
    jobs: Number(values.jobs),
    timeoutSeconds: Number(values.timeout),
    env,
    onEnd,
    signal
  })
  return summary(signal.aborted)
}

try {
  const missing = positionals.filter((name) => !existsSync(name))
  for (const name of missing)
    process.stderr.write(`There is no ${name}. Name test files or folders, such as test/order.\n`)
  process.exitCode = missing.length > 0 ? 2 : await main()
} finally {
  rmSync(folder, { recursive: true, force: true })
}
