import type { GroupResult } from './run-files.js'

/** Number of slow files listed at the end. */
const MAX_SLOWEST_FILES = 5

interface Progress {
  onEnd: (result: GroupResult) => void
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
  const total = { passed: 0, failed: 0, ended: 0 }
  const skipped: string[] = []
  const failing: string[] = []
  const results: GroupResult[] = []

  function onEnd(result: GroupResult): void {
    const before = total.ended
    total.ended += result.files.length
    total.passed += result.passed
    const missing = isComplete ? result.skipped.filter((reason) => reason.includes('is not installed')) : []
    const failed = result.failed + missing.length
    total.failed += failed
    skipped.push(...result.skipped)
    results.push(result)
    if (failed > 0) printFailure(result, missing)
    if (isMilestone(before) || failed > 0) printLine(status())
  }

  const isMilestone = (before: number) =>
    Math.floor(total.ended / stride) > Math.floor(before / stride) || total.ended === files

  function printFailure(result: GroupResult, missing: readonly string[]): void {
    const { files, failedFiles, failures, seconds } = result
    const names = (failedFiles.length > 0 ? failedFiles : files).map(sourceOf).join(', ')
    failing.push(names)
    printLine(`FAILED in ${names} (${seconds.toFixed(1)} s)`)
    process.stdout.write(failures)
    for (const reason of missing) printLine(`  skipped, but every test must run: ${reason}`)
  }

  const status = () =>
    `${total.ended} of ${files} files, ${total.passed} assertions passed, ${total.failed} failed`

  function summary(isStopped: boolean): number {
    for (const reason of new Set(skipped))
      printLine(`Skipped ${skipped.filter((each) => each === reason).length}: ${reason}`)
    printLine(`Slowest: ${slowest(results)}`)
    for (const names of failing) printLine(`Failed in: ${names}`)
    if (isStopped) printLine('Stopped.')
    printLine(`${total.passed} passed, ${total.failed} failed`)
    return total.failed > 0 || isStopped || total.ended < files ? 1 : 0
  }

  return { onEnd, summary }
}

/** The slowest files with their own process. They should be first in the schedule. */
const slowest = (results: readonly GroupResult[]) =>
  results
    .filter(({ files }) => files.length === 1)
    .toSorted((a, b) => b.seconds - a.seconds)
    .slice(0, MAX_SLOWEST_FILES)
    .map(({ files: [file = ''], seconds }) => `${sourceOf(file)} ${seconds.toFixed(0)} s`)
    .join(', ')

const sourceOf = (file: string) => file.replace(/^dist\/testing\//, '').replace(/\.js$/, '.ts')

const printLine = (line: string) => void process.stdout.write(`${line}\n`)
