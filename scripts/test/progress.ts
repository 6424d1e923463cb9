import type { FileResult } from './run-files.js'

/** Number of slow files listed at the end. */
const MAX_SLOWEST_FILES = 5

interface Progress {
  onEnd: (result: FileResult) => void
  /** Prints the summary and returns the exit code. */
  summary: (isStopped: boolean) => number
}

/**
 * Prints the progress of the tests, and each failure at once. The last line is `N passed, N
 * failed`.
 * @param isComplete every test must run: a test that is skipped because a program is not installed
 *   fails.
 */
export function reportProgress(files: number, isComplete: boolean): Progress {
  // About twelve lines, regardless of the number of files.
  const stride = Math.ceil(files / 12)
  const total = { passed: 0, failed: 0 }
  const results: FileResult[] = []
  const failing: string[] = []

  function onEnd(result: FileResult): void {
    results.push(result)
    const missing = isComplete ? result.skipped.filter((reason) => reason.includes('is not installed')) : []
    const failed = result.failed + missing.length
    total.passed += result.passed
    total.failed += failed
    if (failed > 0) printFailure(result, missing)
    if (failed > 0 || results.length % stride === 0 || results.length === files)
      printLine(
        `${results.length} of ${files} files, ${total.passed} assertions passed, ${total.failed} failed`
      )
  }

  function printFailure({ file, failures, seconds }: FileResult, missing: readonly string[]): void {
    failing.push(file)
    printLine(`FAILED in ${file} (${seconds.toFixed(1)} s)`)
    process.stdout.write(failures)
    for (const reason of missing) printLine(`  skipped, but every test must run: ${reason}`)
  }

  function summary(isStopped: boolean): number {
    printSkipped(results)
    printLine(`Slowest: ${slowest(results)}`)
    for (const file of failing) printLine(`Failed in: ${file}`)
    if (isStopped) printLine('Stopped.')
    printLine(`${total.passed} passed, ${total.failed} failed`)
    return total.failed > 0 || isStopped || results.length < files ? 1 : 0
  }

  return { onEnd, summary }
}

/** Each reason to skip tests with the number of tests, and the files without any test that ran. */
function printSkipped(results: readonly FileResult[]): void {
  const reasons = results.flatMap(({ skipped }) => skipped)
  for (const reason of new Set(reasons))
    printLine(`Skipped ${reasons.filter((each) => each === reason).length}: ${reason}`)
  for (const { file, hasRun } of results) if (!hasRun) printLine(`All tests skipped: ${file}`)
}

const slowest = (results: readonly FileResult[]) =>
  results
    .toSorted((a, b) => b.seconds - a.seconds)
    .slice(0, MAX_SLOWEST_FILES)
    .map(({ file, seconds }) => `${file} ${seconds.toFixed(0)} s`)
    .join(', ')

const printLine = (line: string) => void process.stdout.write(`${line}\n`)
