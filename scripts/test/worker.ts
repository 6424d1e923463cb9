import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { inspect } from 'node:util'
import type { Test } from 'tap'
import { runFile } from './file-test.js'
import { openResources, remainingResources } from './open-resources.js'

/*
 * A process that runs test files in sequence: it imports the file that its parent names, reports
 * the test that runs, and sends the results when all tests of the file have ended. The process
 * exits when the parent disconnects.
 */

/** The results of a test file. */
export interface FileReport {
  passed: number
  failed: number
  /** The reason of each skipped test. */
  skipped: string[]
  /** False if all tests were skipped. */
  hasRun: boolean
  /** Failed assertions with truncated diagnostics. */
  failures: string
  /** Resident memory of the process after the file. */
  rssBytes: number
}

/** A message of a worker: the test that makes progress, or the report of its file. */
export type Message = { running?: string; report?: FileReport }

type Result = Test['lists']['fail'][number]

/** Characters of diagnostics per failure. */
const MAX_DIAGNOSTICS = 6_000

/** The shortest time between two messages about the assertions of a test. */
const PROGRESS_MS = 1000

const send = (message: Message) => void process.send?.(message)

async function run(file: string): Promise<FileReport> {
  const openBefore = openResources()
  const results: Result[] = []
  const errors: string[] = []
  const collect = (around: Test) => {
    // The result of the file itself repeats the results of its tests.
    around.parser.on('result', (result: Result) => result.name !== file && results.push(result))
    watch(around)
  }
  await runFile(file, collect, () => import(pathToFileURL(resolve(file)).href))
  if (results.length === 0) errors.push('The file has no test.')
  const left = await remainingResources(openBefore)
  if (left.length > 0) errors.push(`The file left open: ${left.join(', ')}.`)
  return report(results, errors)
}

/** The running tests, each within the previous one. */
const running = new Set<Test>()
let reportedAt = 0

function progress(): void {
  reportedAt = performance.now()
  send({ running: [...running].map(({ name }) => name).join(' > ') })
}

/** Reports each start and end of a test in this one, and that assertions are made. */
function watch(test: Test): void {
  test.parser.on('assert', () => performance.now() - reportedAt > PROGRESS_MS && progress())
  test.on('subtestStart', (started) => {
    running.add(started as Test)
    progress()
    watch(started as Test)
  })
  // The next test may have started.
  test.on('subtestEnd', (ended) => {
    running.delete(ended as Test)
    progress()
  })
}

function report(results: readonly Result[], errors: readonly string[]): FileReport {
  const skipped = results.filter(({ skip }) => skip !== false)
  const failures = results.filter(({ ok, skip, todo }) => !ok && skip === false && todo === false)
  const passed = results.length - skipped.length - failures.length
  const failed = failures.length + errors.length
  return {
    passed,
    failed,
    skipped: skipped.map(({ skip }) => String(skip)),
    hasRun: passed + failed > 0,
    failures: [...failures.map(describe), ...errors.map((error) => `${error}\n`)].join(''),
    rssBytes: process.memoryUsage.rss()
  }
}

/** A failed assertion: its titles, location and differences. */
function describe({ fullname, diag }: Result): string {
  const { diff, source, stack, at, ...others } = diag ?? {}
  const text = [
    source,
    stack ?? inspect(at),
    diff,
    Object.keys(others).length > 0 ? inspect(others, { depth: 6 }) : undefined
  ]
    .filter((each) => each !== undefined)
    .join('\n')
    .slice(0, MAX_DIAGNOSTICS)
  return `not ok ${fullname}\n${text.replaceAll(/^/gm, '  ')}\n`
}

process.on('message', async (file: string) => send({ report: await run(file) }))
process.once('disconnect', () => process.exit())
// tap unrefs the channel to the parent, and would end the tests when the process has nothing to do.
setInterval(() => {}, 2 ** 30)
