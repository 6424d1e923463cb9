import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import postgres from 'postgres'
import { migrate } from '../src/db/migrate.js'
import { startEmbeddedPostgres } from '../src/embedded-postgres/index.js'
import { bundle } from './bundle.js'
import { progress } from './test/progress.js'
import { runFiles } from './test/run-files.js'
import { scheduled, testFilesIn } from './test/schedule.js'

/*
 * Runs the tests on a real PostgreSQL: the one of TEST_DATABASE_URL, else an embedded one in a temporary folder. A migrated
 * template database is made once; each test file works on a clone of it. Everything is compiled once, for the test files and the
 * servers that they start. Arguments name test files; without any, all run.
 */

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    // Some files mostly wait.
    jobs: { type: 'string', default: String(availableParallelism() + 2) },
    timeout: { type: 'string', default: '900' }
  }
})
const template = 'ssl_template'
const compiled = join('dist', 'testing')
const folder = mkdtempSync(join(tmpdir(), 'ssl-test-'))
/** Nothing of it is to outlive the tests, and no clone lives long enough to be worth vacuuming. */
const quick = {
  ...{ fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: '400' },
  ...{ autovacuum: 'off', wal_level: 'minimal', max_wal_senders: '0', jit: 'off' }
}
const stopped = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stopped.abort())

async function main(): Promise<number> {
  compile()
  // As it is started everywhere else, for the servers that tests start.
  await bundle(join(compiled, 'program'))
  const given = process.env.TEST_DATABASE_URL
  const server = given
    ? undefined
    : await startEmbeddedPostgres({ dataDir: join(folder, 'data'), settings: quick })
  try {
    const url = given ?? server?.url ?? ''
    await makeTemplate(url)
    return await run({ ...process.env, TEST_DATABASE_URL: url, TEST_TEMPLATE: template })
  } finally {
    await server?.stop()
  }
}

/** From scratch, so that no test outlives its source. Types are the business of `npm run types`. */
function compile(): void {
  rmSync(compiled, { recursive: true, force: true })
  const tsc = join('node_modules', '.bin', 'tsc')
  const { status } = spawnSync(tsc, ['-p', 'tsconfig.test.json'], { stdio: 'inherit' })
  if (status !== 0) throw new Error('The tests do not compile.')
}

async function makeTemplate(url: string): Promise<void> {
  const client = postgres(url, { max: 1, onnotice: () => {} })
  await client.unsafe(`drop database if exists ${template}`)
  await client.unsafe(`create database ${template}`)
  await client.end()
  await migrate(Object.assign(new URL(url), { pathname: `/${template}` }).href)
}

async function run(env: NodeJS.ProcessEnv): Promise<number> {
  const named = positionals.map((name) => join(compiled, name.replace(/\.ts$/, '.js')))
  const files = named.length > 0 ? named : testFilesIn(join(compiled, 'test'))
  const { onEnd, summary } = progress(files.length, process.env.THOROUGH === 'true')
  const { signal } = stopped
  await runFiles(scheduled(files), {
    jobs: Number(values.jobs),
    timeout: Number(values.timeout),
    env,
    onEnd,
    signal
  })
  return summary(signal.aborted)
}

try {
  process.exitCode = await main()
} finally {
  rmSync(folder, { recursive: true, force: true })
}
