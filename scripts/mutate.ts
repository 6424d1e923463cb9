import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import postgres from 'postgres'
import { startEmbeddedPostgres } from '../src/db/embedded/index.js'
import { migrate } from '../src/db/migrate.js'
import { type Covered, isRunBy, measure } from './mutate/coverage.js'
import { compile, contentOf, filesUnder } from './mutate/files.js'
import { lineMutants, type Mutant, mutated, strykerMutants } from './mutate/mutants.js'
import { describe, type Judged, summary, type Verdict } from './mutate/report.js'
import { dropLeftovers, type Place, runTest } from './mutate/run-test.js'

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

const targets = ['src/order/', 'src/catalogue/', 'src/audit/', 'src/platform/access', 'src/platform/tokens/']
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
    const covered = await measure(places, say)
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
  const end = performance.now() + Number(options.minutes) * 60_000
  const judged: Judged[] = []
  /** How many mutants of a file a test killed: the next ones are shown to that test first. */
  const kills = new Map<string, number>()
  async function work(place: Place) {
    while (performance.now() < end && judged.length < Number(options.most)) {
      const mutant = queue.shift()
      if (!mutant) return
      const tests = choose(mutant, covered, kills)
      const verdict = tests.length === 0 ? 'not covered' : await judge(place, mutant, tests, kills)
      judged.push({ mutant, verdict })
      say(`${judged.length} ${verdict}: ${describe(mutant)}`)
    }
  }
  await Promise.all(places.map(work))
  return judged
}

async function judge(
  place: Place,
  mutant: Mutant,
  tests: readonly Covered[],
  kills: Map<string, number>
): Promise<Verdict> {
  const path = join(place.folder, mutant.file)
  const content = contentOf(mutant.file)
  writeFileSync(path, mutated(content, mutant))
  try {
    for (const { test, milliseconds } of tests) {
      const outcome = await runTest(place, test, 15_000 + 4 * milliseconds)
      if (outcome === 'passed') continue
      const key = `${mutant.file} ${test}`
      kills.set(key, (kills.get(key) ?? 0) + 1)
      await dropLeftovers(place)
      return 'killed'
    }
    return 'survived'
  } finally {
    writeFileSync(path, content)
  }
}

/** Files whose texts stand in the OpenAPI documents. */
const documenting = /(access|forms|problems|remarks|routes|samples|schemas)\.js$/

/** Tests that run the place of a mutant, the likeliest to notice first, in the time that one mutant has. */
function choose({ file, start }: Mutant, covered: readonly Covered[], kills: ReadonlyMap<string, number>) {
  const [, module = ''] = file.split('/')
  const noun = file.split('/').at(-1)?.split('.')[0] ?? ''
  const likelihood = ({ test, milliseconds }: Covered) => {
    const isMeant =
      (documenting.test(file) && test.includes('openapi')) ||
      (file.endsWith('tables.js') && test.includes('schema'))
    const isNear = test.startsWith(`test/${module}/`) || test.includes(noun)
    const bonus = isMeant ? 100 : isNear ? 1 : 0.1
    return ((kills.get(`${file} ${test}`) ?? 0) + bonus) / (milliseconds + 500)
  }
  const running = covered
    .filter((each) => isRunBy(each, file, start))
    .sort((a, b) => likelihood(b) - likelihood(a))
  let left = Number(options['per-mutant']) * 1000
  return running.filter(({ milliseconds }) => {
    left -= milliseconds
    return left + milliseconds > 0
  })
}

/** In an order that the seed decides (xorshift). */
function shuffled<T>(all: readonly T[], seed: number): T[] {
  let state = (seed * 2654435761) >>> 0 || 1
  const random = () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 2 ** 32
  }
  return all
    .map((each) => ({ each, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ each }) => each)
}

if (options.help) say(usage)
else await main()
