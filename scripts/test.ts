import { execFile, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import postgres from 'postgres'
import { startEmbeddedPostgres } from '../src/db/embedded/index.js'
import { migrate } from '../src/db/migrate.js'
import { bundle } from './bundle.js'

/*
 * Runs the tests on a real PostgreSQL: the one of TEST_DATABASE_URL, else an embedded one in a temporary folder. A migrated
 * template database is made once; each test file works on a clone of it. Everything is compiled once, for the test files and the
 * servers that they start. Arguments go to tap; those that name test files mean what they were compiled to.
 */

const run = promisify(execFile)
const template = 'ssl_template'
const compiled = join('dist', 'testing')
const folder = mkdtempSync(join(tmpdir(), 'ssl-test-'))
const quick = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: '200' }

async function main(): Promise<number> {
  compile()
  // As it is started everywhere else, for the servers that tests start.
  await bundle(join(compiled, 'program'))
  await buildTap()
  const given = process.env.TEST_DATABASE_URL
  const server = given
    ? undefined
    : await startEmbeddedPostgres({ dataDir: join(folder, 'data'), settings: quick })
  try {
    const url = given ?? server?.url ?? ''
    await makeTemplate(url)
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

/** From scratch, so that no test outlives its source. Types are the business of `npm run types`. */
function compile(): void {
  rmSync(compiled, { recursive: true, force: true })
  const { status } = spawnSync('npx', ['tsc', '-p', 'tsconfig.test.json'], { stdio: 'inherit' })
  if (status !== 0) throw new Error('The tests do not compile.')
}

const inCompiled = (argument: string) =>
  /^(\.\/)?test\//.test(argument) ? join(compiled, argument.replace(/\.ts$/, '.js')) : argument

async function makeTemplate(url: string): Promise<void> {
  const client = postgres(url, { max: 1, onnotice: () => {} })
  await client.unsafe(`drop database if exists ${template}`)
  await client.unsafe(`create database ${template}`)
  await client.end()
  await migrate(Object.assign(new URL(url), { pathname: `/${template}` }).href)
}

function runTap(env: NodeJS.ProcessEnv): Promise<number> {
  const report = join(folder, 'report.tap')
  const args = ['tap', 'run', `--output-file=${report}`, ...process.argv.slice(2).map(inCompiled)]
  const tap = spawn('npx', args, { stdio: 'inherit', env })
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => tap.kill(signal))
  return new Promise((resolve, reject) => {
    tap.on('error', reject)
    tap.on('close', (code) => {
      if (existsSync(report)) {
        const lines = readFileSync(report, 'utf8').split('\n')
        process.stdout.write(`${failures(lines)}${summary(lines)}\n`)
      }
      resolve(code ?? 1)
    })
  })
}

/** What failed, with what tap's report tells of it; whatever reporter was chosen, and whoever reads along. */
function failures(lines: readonly string[]): string {
  const isFailure = (line: string) => /^ *not ok /.test(line) && !/ # (SKIP|TODO)/.test(line)
  return lines
    .flatMap((line, at) => {
      if (!isFailure(line)) return []
      const end = lines.findIndex((each, later) => later > at && /^ *\.\.\.$/.test(each))
      return [line, ...lines.slice(at + 1, Math.min(end, at + 30))]
    })
    .map((line) => `${line.slice(0, 500)}\n`)
    .join('')
}

/** `N passed, N failed` out of the totals that tap's report ends with. */
function summary(lines: readonly string[]): string {
  const totals = lines.findLast((line) => line.startsWith('# { total')) ?? ''
  const count = (name: string) => Number(new RegExp(`\\b${name}: (\\d+)`).exec(totals)?.[1] ?? 0)
  const skipped = count('skip') > 0 ? `, ${count('skip')} skipped` : ''
  return `${count('pass')} passed, ${count('fail')} failed${skipped}`
}

try {
  process.exitCode = await main()
} finally {
  rmSync(folder, { recursive: true, force: true })
}
