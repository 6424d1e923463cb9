import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import postgres from 'postgres'
import { migrate } from '../src/db/migrate.js'
import { startEmbeddedPostgres } from '../src/embedded-postgres/index.js'
import { type Covered, measure } from './mutate/coverage.js'
import { compile, filesUnder } from './mutate/files.js'
import { judge } from './mutate/judge.js'
import { lineMutants, type Mutant, strykerMutants } from './mutate/mutants.js'
import { describe, type Judged, summary } from './mutate/report.js'
import type { Place } from './mutate/run-test.js'
import { shuffled } from './mutate/shuffled.js'

/*
 * Breaks the program in one place after the other and looks whether the tests notice. Stryker makes the mutants; it does not run them:
 * it has no random sample, no end after some minutes and, for a runner of whole test files, no choice of the tests that run a mutant.
 */

const usage = `npm run mutate -- [options] [beginnings of paths]
  --minutes 20     ends after this time; what was tried until then counts
  --seed 1         of the random order in which mutants are tried
  --most 200       mutants at most
  --lines          also mutants that leave out one line each
  --workers 2      at the same time
  --per-mutant 60  seconds of tests for one mutant at most`

const targets = [
  'src/order/',
  'src/catalogue/',
  'src/audit/',
  'src/platform/access',
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

const template = 'ssl_template'
const quick = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: '200' }
const say = (text: string) => process.stdout.write(`${text}\n`)

/** When no further mutant is tried; at once, when somebody stops the run. */
let end = Number.POSITIVE_INFINITY
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => {
    end = 0
  })
const isOver = () => performance.now() >= end

async function main(): Promise<void> {
  const copies = await compile(Number(options.workers))
  const folder = mkdtempSync(join(tmpdir(), 'ssl-mutate-'))
  const server = await startEmbeddedPostgres({ dataDir: join(folder, 'data'), settings: quick })
  try {
    const places = await placesOn(server.url, copies)
    const files = filesUnder(positionals.length > 0 ? positionals : targets)
    const mutants = await strykerMutants(files)
    if (options.lines) mutants.push(...(await lineMutants(files)))
    say(`${mutants.length} mutants in ${files.length} files`)
    const covered = await measure(places, say, isOver)
    const judged = await judgeAll(places, shuffled(mutants, Number(options.seed)), covered)
    for (const verdict of ['survived', 'not covered'] as const)
      for (const { mutant } of judged.filter((each) => each.verdict === verdict))
        say(`${verdict}: ${describe(mutant)}`)
    say(summary(judged))
  } finally {
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** A user for each worker, so that what its killed tests leave behind can be told from what others use. */
async function placesOn(url: string, copies: readonly string[]): Promise<Place[]> {
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  await sql.unsafe(`create database ${template}`)
  const { password } = new URL(url)
  for (const at of copies.keys())
    await sql.unsafe(`create role worker${at} superuser login password '${password}'`)
  await sql.end()
  await migrate(Object.assign(new URL(url), { pathname: `/${template}` }).href)
  return copies.map((folder, at) => ({
    folder,
    template,
    databaseUrl: Object.assign(new URL(url), { username: `worker${at}` }).href
  }))
}

async function judgeAll(
  places: readonly Place[],
  queue: Mutant[],
  covered: readonly Covered[]
): Promise<Judged[]> {
  end = Math.min(end, performance.now() + Number(options.minutes) * 60_000)
  const judged: Judged[] = []
  const wish = { kills: new Map<string, number>(), milliseconds: Number(options['per-mutant']) * 1000 }
  async function work(place: Place) {
    while (!isOver() && judged.length < Number(options.most)) {
      const mutant = queue.shift()
      if (!mutant) return
      const verdict = await judge(place, mutant, covered, wish)
      judged.push({ mutant, verdict })
      say(`${judged.length} ${verdict}: ${describe(mutant)}`)
    }
  }
  await Promise.all(places.map(work))
  return judged
}

if (options.help) say(usage)
else await main()
