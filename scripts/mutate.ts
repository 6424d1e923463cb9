import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import postgres from 'postgres'
import { migrate } from '../src/db/migrate.js'
import { startEmbeddedPostgres } from '../src/embedded-postgres/index.js'
import { measureCoverage, type TestCoverage } from './mutate/coverage.js'
import { compile, filesUnder } from './mutate/files.js'
import { lineMutants, type Mutant, strykerMutants } from './mutate/mutants.js'
import { describe, type MutantResult, summary } from './mutate/report.js'
import type { Worker } from './mutate/run-tests.js'
import { Kills } from './mutate/select-tests.js'
import { shuffle } from './mutate/shuffle.js'
import { testMutant } from './mutate/test-mutant.js'

/*
 * Mutation testing: changes the program in one place at a time and checks whether a test fails.
 * Stryker creates the mutants but does not run them: it has no random sample, no time limit, and
 * cannot select the tests that cover a mutant in a runner of whole test files.
 */

const usage = `npm run mutate -- [options] [path prefixes]
  --minutes 20     time limit; the mutants tried until then are reported
  --seed 1         seed of the random order of mutants
  --most 200       maximum number of mutants
  --lines          also try mutants that omit one line
  --workers 2      number of concurrent workers
  --per-mutant 60  time limit of the tests of a mutant, in seconds`

const DEFAULT_PREFIXES = [
  'src/order/',
  'src/catalogue/',
  'src/audit/',
  'src/platform/auth/access',
  'src/platform/auth/tokens/'
]
const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    minutes: { type: 'string', default: '20' },
    seed: { type: 'string', default: '1' },
    most: { type: 'string', default: '200' },
    workers: { type: 'string', default: '2' },
    'per-mutant': { type: 'string', default: '60' },
    lines: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false }
  }
})

const TEMPLATE_DATABASE = 'ssl_template'
const UNSAFE_FAST_SETTINGS = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  max_connections: '200'
}
const print = (text: string) => process.stdout.write(`${text}\n`)

/** No mutant is started after this time (`performance.now()`). A signal sets it to 0. */
let deadline = Number.POSITIVE_INFINITY
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => {
    deadline = 0
  })
const isOver = () => performance.now() >= deadline

async function main(): Promise<void> {
  const copies = await compile(Number(options.workers))
  const folder = mkdtempSync(join(tmpdir(), 'ssl-mutate-'))
  const server = await startEmbeddedPostgres({
    dataDir: join(folder, 'data'),
    settings: UNSAFE_FAST_SETTINGS
  })
  try {
    const workers = await createWorkers(server.url, copies)
    const files = filesUnder(positionals.length > 0 ? positionals : DEFAULT_PREFIXES)
    const mutants = await strykerMutants(files)
    if (options.lines) mutants.push(...(await lineMutants(files)))
    print(`${mutants.length} mutants in ${files.length} files`)
    const covered = await measureCoverage(workers, print, isOver)
    const results = await testAll(workers, shuffle(mutants, Number(options.seed)), covered)
    for (const status of ['survived', 'not covered'] as const)
      for (const result of results.filter((each) => each.status === status)) print(describe(result))
    print(summary(results))
  } finally {
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Creates a database user per worker, so that databases of its killed tests can be identified. */
async function createWorkers(url: string, copies: readonly string[]): Promise<Worker[]> {
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  await sql.unsafe(`create database ${TEMPLATE_DATABASE}`)
  const { password } = new URL(url)
  for (const at of copies.keys())
    await sql.unsafe(`create role worker${at} superuser login password '${password}'`)
  await sql.end()
  await migrate(Object.assign(new URL(url), { pathname: `/${TEMPLATE_DATABASE}` }).href)
  return copies.map((folder, at) => ({
    folder,
    template: TEMPLATE_DATABASE,
    databaseUrl: Object.assign(new URL(url), { username: `worker${at}` }).href
  }))
}

async function testAll(
  workers: readonly Worker[],
  queue: Mutant[],
  covered: readonly TestCoverage[]
): Promise<MutantResult[]> {
  deadline = Math.min(deadline, performance.now() + Number(options.minutes) * 60_000)
  const results: MutantResult[] = []
  const limits = { kills: new Kills(), timeLimitMs: Number(options['per-mutant']) * 1000 }
  async function work(worker: Worker) {
    while (!isOver() && results.length < Number(options.most)) {
      const mutant = queue.shift()
      if (!mutant) return
      const result = { mutant, ...(await testMutant(worker, mutant, covered, limits)) }
      results.push(result)
      print(`${results.length} ${describe(result)}`)
    }
  }
  await Promise.all(workers.map(work))
  return results
}

if (options.help) print(usage)
else await main()
