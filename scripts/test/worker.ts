import { resolve } from 'node:path'
import { setImmediate as afterOutput } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { inspect } from 'node:util'
import t from 'tap'
import { openResources, remaining } from './open-resources.js'

/*
 * A process that runs test files in sequence: it imports the file that its parent names, and sends
 * the report when all tests of the file have ended. It exits when the parent disconnects.
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

/** Characters of diagnostics per failure. */
const MAX_DIAGNOSTICS = 6_000

/** The title of the test that follows those of a file. */
const CLEAN_UP = 'the file loads, has tests and leaves nothing open'

const NEXT = 'the next file'

/** The assertions of the file so far. */
const results: Tap.Result[] = []
t.parser.on('result', (result: Tap.Result) => {
  if (!(result.ok && [CLEAN_UP, NEXT].includes(result.name))) results.push(result)
})

// The root of tap lives as long as the process, so the teardowns of a file are collected.
const teardowns: (() => unknown)[] = []
let tests = 0
const runTest = t.test.bind(t) as unknown as (...args: unknown[]) => Promise<unknown>
Object.assign(t, {
  test: (...args: unknown[]) => {
    tests++
    return runTest(...args)
  },
  teardown: (teardown: () => unknown) => void teardowns.push(teardown)
})

async function run(file: string): Promise<FileReport> {
  const openBefore = openResources()
  tests = 0
  const importError = await import(pathToFileURL(resolve(file)).href).then(
    () => undefined,
    (error: unknown) => error ?? new Error('The file threw nothing.')
  )
  // Tests run in the order of their calls: this one runs when those of the file have ended.
  await runTest(CLEAN_UP, async (t: Tap.Test) => {
    for (const teardown of teardowns.splice(0).reverse()) await teardown()
    if (importError) throw importError
    if (tests === 0) t.fail('The file has no test.')
    const left = await remaining(openBefore)
    if (left.length > 0) t.fail(`The file left open: ${left.join(', ')}.`)
  })
  // A result is told when a test follows it, because it could get diagnostics.
  await runTest(NEXT, async () => {})
  await afterOutput()
  return report(results.splice(0))
}

function report(results: readonly Tap.Result[]): FileReport {
  const skipped = results.filter(({ skip }) => skip !== false)
  const failures = results.filter(({ ok, skip, todo }) => !ok && skip === false && todo === false)
  const passed = results.length - skipped.length - failures.length
  return {
    passed,
    failed: failures.length,
    skipped: skipped.map(({ skip }) => String(skip)),
    hasRun: passed + failures.length > 0,
    failures: failures.map(describe).join(''),
    rssBytes: process.memoryUsage.rss()
  }
}

/** A failed assertion: its titles, place and differences. */
function describe({ fullname, name, diag }: Tap.Result): string {
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
  return `not ok ${fullname} > ${name}\n${text.replaceAll(/^/gm, '  ')}\n`
}

namespace Tap {
  export type Test = typeof t
  export type Result = (typeof t.lists.fail)[number]
}

process.on('message', async (file: string) => process.send?.({ report: await run(file) }))
process.once('disconnect', () => process.exit())
// tap unrefs the channel to the parent, and would end the tests when the process has nothing to do.
setInterval(() => {}, 2 ** 30)
