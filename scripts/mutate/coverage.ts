import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { contentOf, digestOfProgram, testFiles } from './files.js'
import { runTests, type Worker } from './run-tests.js'

/** A range of a file and how often it ran. For an offset the innermost range counts. */
type Range = [start: number, end: number, count: number]

/** What a test file covers, by file, and how long it takes. */
export interface TestCoverage {
  test: string
  durationMs: number
  ranges: Record<string, Range[]>
}

/** Time limit of a test file without a mutant. */
const TEST_TIMEOUT_MS = 120_000

const CACHE_FOLDER = join('dist', 'mutation-coverage')

/**
 * Runs each test file once with V8's coverage. Results of the same program and test are cached. A
 * test that fails without a mutant, or takes longer than `TEST_TIMEOUT_MS`, is omitted.
 */
export async function measureCoverage(
  workers: readonly Worker[],
  report: (text: string) => void,
  isOver: () => boolean
): Promise<TestCoverage[]> {
  mkdirSync(CACHE_FOLDER, { recursive: true })
  const program = digestOfProgram()
  const queue = testFiles()
  const all: TestCoverage[] = []
  async function work(worker: Worker) {
    for (let test = queue.shift(); test && !isOver(); test = queue.shift()) {
      const covered = await coverageOf(worker, test, program)
      if (covered) all.push(covered)
      else report(`${test} is omitted: it fails or takes too long.`)
    }
  }
  await Promise.all(workers.map(work))
  return all
}

async function coverageOf(worker: Worker, test: string, program: string): Promise<TestCoverage | undefined> {
  const cacheFile = join(CACHE_FOLDER, `${test.replaceAll('/', '-')}.json`)
  const version = `${program} ${contentOf(test)}`
  if (existsSync(cacheFile)) {
    const cached = JSON.parse(readFileSync(cacheFile, 'utf8'))
    if (cached.version === version) return cached.covered ?? undefined
  }
  const folder = join(CACHE_FOLDER, `v8-${test.replaceAll('/', '-')}`)
  const start = performance.now()
  const outcome = await runTests(worker, [test], TEST_TIMEOUT_MS, {
    NODE_V8_COVERAGE: resolve(folder),
    TAP_BAIL: '0'
  })
  const durationMs = Math.round(performance.now() - start)
  const covered = outcome === 'passed' ? { test, durationMs, ranges: rangesIn(folder, worker.folder) } : null
  rmSync(folder, { recursive: true, force: true })
  writeFileSync(cacheFile, JSON.stringify({ version, covered }))
  return covered ?? undefined
}

interface Script {
  url: string
  functions: { ranges: { startOffset: number; endOffset: number; count: number }[] }[]
}

function rangesIn(folder: string, program: string): Record<string, Range[]> {
  const base = `${pathToFileURL(program).href}/`
  const ranges: Record<string, Range[]> = {}
  for (const name of readdirSync(folder)) {
    const { result } = JSON.parse(readFileSync(join(folder, name), 'utf8')) as { result: Script[] }
    for (const { url, functions } of result) {
      const file = url.startsWith(`${base}src/`) ? url.slice(base.length) : undefined
      if (file)
        ranges[file] = [
          ...(ranges[file] ?? []),
          ...functions.flatMap((each) =>
            each.ranges.map((range): Range => [range.startOffset, range.endOffset, range.count])
          )
        ]
    }
  }
  return ranges
}

/** Whether a test covers the offset of a file. */
export function isCovered({ ranges }: TestCoverage, file: string, offset: number): boolean {
  let innermost: Range | undefined
  for (const range of ranges[file] ?? []) {
    const [start, end] = range
    if (start > offset || offset >= end) continue
    if (!innermost || end - start <= innermost[1] - innermost[0]) innermost = range
  }
  return innermost !== undefined && innermost[2] > 0
}
