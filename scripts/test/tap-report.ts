/** The TAP report of a process. */
export interface TapReport {
  passed: number
  failed: number
  /** The reason of each skipped test. */
  skipped: string[]
  /** The failed assertions with truncated diagnostics. */
  failures: string
}

/** Lines of diagnostics per failure. tap prints the difference last. */
const MAX_DIAGNOSTIC_LINES = 80

const isFailure = (line: string) => /^ *not ok /.test(line) && !/ # (SKIP|TODO)/.test(line)

/** Parses TAP. Output without totals or without any test counts as at least one failure. */
export function parseTap(tap: string, exitCode: number | null): TapReport {
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

/** Failed assertions, without the enclosing tests and files, which fail because of them. */
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
