/** The TAP report of a process. */
export interface TapReport {
  passed: number
  failed: number
  /** Files with a failed test or without any, and those that did not end. */
  failedFiles: string[]
  /** The reason of each skipped test. */
  skipped: string[]
  /** The failed assertions with truncated diagnostics. */
  failures: string
}

/** Title of the test at the end of each file, before the file's path. */
export const END_OF_FILE = 'end of '

/** Lines of diagnostics per failure. tap prints the difference last. */
const MAX_DIAGNOSTIC_LINES = 80

const isFailure = (line: string) => /^ *not ok /.test(line) && !/ # (SKIP|TODO)/.test(line)

/**
 * Parses the TAP of a process that ran these files. Each file that fails, does not end or has no
 * test counts as one failure at least.
 */
export function parseTap(tap: string, files: readonly string[], exitCode: number | null): TapReport {
  const lines = tap.split('\n')
  const totals = lines.findLast((line) => line.startsWith('# { total')) ?? ''
  const count = (name: string) => Number(new RegExp(`\\b${name}: (\\d+)`).exec(totals)?.[1] ?? 0)
  const passed = passedFiles(tap)
  const failedFiles = files.filter((file) => !passed.has(file))
  const isBroken = exitCode !== 0 || failedFiles.length > 0
  return {
    passed: count('pass'),
    failed: Math.max(count('fail'), failedFiles.length, isBroken ? 1 : 0),
    failedFiles,
    skipped: lines.flatMap((line) => / # SKIP ?(.*)$/.exec(line)?.[1] ?? []),
    failures: isBroken ? failuresIn(lines) : ''
  }
}

/** The files with tests that all passed; `run-group.ts` ends each file with a test of its own. */
function passedFiles(tap: string): Set<string> {
  const passed = new Set<string>()
  let results: boolean[] = []
  for (const [, not, title = ''] of tap.matchAll(/^(not )?ok \d+ - (.*?)(?: # .*)?$/gm)) {
    if (!title.startsWith(END_OF_FILE)) results.push(!not)
    else {
      if (results.length > 0 && results.every(Boolean)) passed.add(title.slice(END_OF_FILE.length))
      results = []
    }
  }
  return passed
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
