/** What a test file reported in TAP. */
export interface Report {
  passed: number
  failed: number
  /** Why tests were skipped, each as often as one was. */
  skipped: string[]
  /** Each failed assertion with its diagnostics, shortened. */
  failures: string
}

/** Lines of diagnostics of a failure that are shown: tap puts the difference last. */
const MAX_DIAGNOSTIC_LINES = 80

const isFailure = (line: string) => /^ *not ok /.test(line) && !/ # (SKIP|TODO)/.test(line)

/** Reads the TAP of a test file. One that ended before its totals counts a failure at least, as does one with no test at all. */
export function reportOf(tap: string, exitCode: number | null): Report {
  const lines = tap.split('\n')
  const totals = lines.findLast((line) => line.startsWith('# { total')) ?? ''
  const count = (name: string) => Number(new RegExp(`\\b${name}: (\\d+)`).exec(totals)?.[1] ?? 0)
  const isBroken = exitCode !== 0 || totals === '' || count('total') === 0
  return {
    passed: count('pass'),
    failed: Math.max(count('fail'), isBroken ? 1 : 0),
    skipped: lines.flatMap((line) => / # SKIP ?(.*)$/.exec(line)?.[1] ?? []),
    failures: isBroken ? failuresIn(lines) : ''
  }
}

/** Assertions that failed, without the tests and files around them, which fail because of them. */
function failuresIn(lines: readonly string[]): string {
  return lines
    .flatMap((line, at) => {
      if (!isFailure(line)) return []
      const end = lines.findIndex((each, later) => later > at && /^ *\.\.\.$/.test(each))
      return [line, ...lines.slice(at + 1, Math.min(end, at + MAX_DIAGNOSTIC_LINES))]
    })
    .map((line) => `${line.slice(0, 500)}\n`)
    .join('')
}
