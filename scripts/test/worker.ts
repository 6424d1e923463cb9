import { resolve } from 'node:path'
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

interface TestResult {
  ok: boolean
}

/** Characters of diagnostics per failure. */
const MAX_DIAGNOSTICS = 6_000

const teardowns: (() => unknown)[] = []
const tests: Promise<TestResult>[] = []
const runTest = t.test.bind(t) as unknown as (...args: unknown[]) => Promise<TestResult>

// The root of tap lives as long as the process, so the tests and teardowns of a file are collected.
Object.assign(t, {
  test: (...args: unknown[]) => {
    const result = runTest(...args)
    tests.push(result)
    return result
  },
  teardown: (teardown: () => unknown) => void teardowns.push(teardown)
})

async function run(file: string): Promise<FileReport> {
  const before = { ...t.counts, failures: t.lists.fail.length, skips: t.lists.skip.length }
  const openBefore = openResources()
  const importError = await import(pathToFileURL(resolve(file)).href).then(
    () => undefined,
    (error: unknown) => error ?? new Error('The file threw nothing.')
  )
  const results = await Promise.all(tests.splice(0))
  const hasRun = t.counts.pass + t.counts.fail > before.pass + before.fail
  await runTest('the file loads, has tests and leaves nothing open', async (t: Tap.Test) => {
    for (const teardown of teardowns.splice(0).reverse()) await teardown()
    if (importError) throw importError
    if (results.length === 0) t.fail('The file has no test.')
    const left = await remaining(openBefore)
    if (left.length > 0) t.fail(`The file left open: ${left.join(', ')}.`)
  })
  // Ends the last result, which could still get diagnostics.
  t.comment('')
  const failures = t.lists.fail.slice(before.failures)
  return {
    passed: t.counts.pass - before.pass,
    failed: Math.max(failures.length, results.every(({ ok }) => ok) ? 0 : 1),
    skipped: t.lists.skip.slice(before.skips).map(({ skip }) => String(skip)),
    hasRun,
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
