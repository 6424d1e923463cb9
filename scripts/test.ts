import { execFile, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import postgres from 'postgres'
import { startEmbeddedPostgres } from '../src/db/embedded/index.js'
import { migrate } from '../src/db/migrate.js'

/*
 * Runs the tests on a real PostgreSQL: the one of TEST_DATABASE_URL, else an embedded one in a temporary folder. A migrated
 * template database is made once; each test file works on a clone of it. Arguments go to tap.
 */

const run = promisify(execFile)
const template = 'ssl_template'
const folder = mkdtempSync(join(tmpdir(), 'ssl-test-'))
const quick = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: '200' }

async function main(): Promise<number> {
  const given = process.env.TEST_DATABASE_URL
  const server = given
    ? undefined
    : await startEmbeddedPostgres({ dataDir: join(folder, 'data'), settings: quick })
  try {
    const url = given ?? server?.url ?? ''
    await makeTemplate(url)
    await buildTap()
    const code = await runTap({ ...process.env, TEST_DATABASE_URL: url, TEST_TEMPLATE: template })
    return code
  } finally {
    await server?.stop()
  }
}

/** A fresh install's tap still holds its own TypeScript plugin, which .taprc leaves out, until it is built once. */
async function buildTap(): Promise<void> {
  const built = join('node_modules', '@tapjs', 'test', 'test-built', 'dist', 'esm', 'index.js')
  const isBuilt = existsSync(built) && !readFileSync(built, 'utf8').includes('@tapjs/typescript')
  if (!isBuilt) await run('npx', ['tap', 'build'])
}

async function makeTemplate(url: string): Promise<void> {
  const client = postgres(url, { max: 1, onnotice: () => {} })
  await client.unsafe(`drop database if exists ${template}`)
  await client.unsafe(`create database ${template}`)
  await client.end()
  await migrate(Object.assign(new URL(url), { pathname: `/${template}` }).href)
}

function runTap(env: NodeJS.ProcessEnv): Promise<number> {
  const report = join(folder, 'report.tap')
  const args = ['tap', 'run', `--output-file=${report}`, ...process.argv.slice(2)]
  const tap = spawn('npx', args, { stdio: 'inherit', env })
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => tap.kill(signal))
  return new Promise((resolve, reject) => {
    tap.on('error', reject)
    tap.on('close', (code) => {
      if (existsSync(report)) process.stdout.write(`${summary(report)}\n`)
      resolve(code ?? 1)
    })
  })
}

/** `N passed, N failed` out of the totals that tap's report ends with. */
function summary(report: string): string {
  const totals =
    readFileSync(report, 'utf8')
      .split('\n')
      .findLast((line) => line.startsWith('# { total')) ?? ''
  const count = (name: string) => Number(new RegExp(`\\b${name}: (\\d+)`).exec(totals)?.[1] ?? 0)
  const skipped = count('skip') > 0 ? `, ${count('skip')} skipped` : ''
  return `${count('pass')} passed, ${count('fail')} failed${skipped}`
}

try {
  process.exitCode = await main()
} finally {
  rmSync(folder, { recursive: true, force: true })
}
