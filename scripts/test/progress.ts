import type { Outcome } from './run-files.js'

/** Files whose time is shown at the end. */
const SLOWEST_SHOWN = 5

interface Progress {
  onEnd: (outcome: Outcome) => void
  /** Says what came of all of it, and answers the exit code. */
  summary: (isStopped: boolean) => number
}

/**
 * Says on standard output how far the tests are, and at once which file failed and why. The last line is `N passed, N failed`.
 * @param isComplete whether every test must run: then one that is skipped for a missing program fails.
 */
export function progress(files: number, isComplete: boolean): Progress {
  // About a dozen lines, however many files there are.
  const stride = Math.ceil(files / 12)
  const total = { passed: 0, failed: 0, ended: 0 }
  const skipped: string[] = []
  const failing: string[] = []
  const durations: Outcome[] = []

  function onEnd(outcome: Outcome): void {
    const before = total.ended
    total.ended += outcome.files.length
    total.passed += outcome.passed
    const missing = isComplete ? outcome.skipped.filter((reason) => reason.includes('is not installed')) : []
    const failed = outcome.failed + missing.length
    total.failed += failed
    skipped.push(...outcome.skipped)
    durations.push(outcome)
    if (failed > 0) tellFailure(outcome, missing)
    if (isMilestone(before) || failed > 0) say(howFar())
  }

  const isMilestone = (before: number) =>
    Math.floor(total.ended / stride) > Math.floor(before / stride) || total.ended === files

  function tellFailure({ files, failures, seconds }: Outcome, missing: readonly string[]): void {
    const names = files.map(sourceOf).join(', ')
    failing.push(names)
    say(`FAILED in ${names} (${seconds.toFixed(1)} s)`)
    process.stdout.write(failures)
    for (const reason of missing) say(`  skipped, though every test must run: ${reason}`)
  }

  const howFar = () =>
    `${total.ended} of ${files} files, ${total.passed} assertions passed, ${total.failed} failed`

  function summary(isStopped: boolean): number {
    for (const reason of new Set(skipped))
      say(`Skipped ${skipped.filter((each) => each === reason).length}: ${reason}`)
    say(`Slowest: ${slowest(durations)}`)
    for (const names of failing) say(`Failed in: ${names}`)
    if (isStopped) say('Stopped.')
    say(`${total.passed} passed, ${total.failed} failed`)
    return total.failed > 0 || isStopped || total.ended < files ? 1 : 0
  }

  return { onEnd, summary }
}

/** The files that took longest of those with a process to themselves: they are to be begun first. */
const slowest = (durations: readonly Outcome[]) =>
  durations
    .filter(({ files }) => files.length === 1)
    .toSorted((a, b) => b.seconds - a.seconds)
    .slice(0, SLOWEST_SHOWN)
    .map(({ files: [file = ''], seconds }) => `${sourceOf(file)} ${seconds.toFixed(0)} s`)
    .join(', ')

const sourceOf = (file: string) => file.replace(/^dist\/testing\//, '').replace(/\.js$/, '.ts')

const say = (line: string) => void process.stdout.write(`${line}\n`)
