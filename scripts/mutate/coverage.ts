import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { contentOf, digestOfProgram, testFiles } from './files.js'
import { type Place, runTest } from './run-test.js'

/** Part of a file and how often it ran; the innermost part around a place counts. */
type Range = [start: number, end: number, count: number]

/** What a test file runs, by file, and how long it takes. */
export interface Covered {
  test: string
  milliseconds: number
  ranges: Record<string, Range[]>
}

const cache = join('dist', 'mutation-coverage')

/**
 * Runs each test file once with V8's coverage. What was measured before of the same program and the same test is taken from there; a
 * test that fails without any mutant, or takes longer than two minutes, is left out.
 */
export async function measure(
  places: readonly Place[],
  report: (text: string) => void,
  isOver: () => boolean
): Promise<Covered[]> {
  mkdirSync(cache, { recursive: true })
  const program = digestOfProgram()
  const queue = testFiles()
  const all: Covered[] = []
  async function work(place: Place) {
    for (let test = queue.shift(); test && !isOver(); test = queue.shift()) {
      const covered = await measured(place, test, program)
      if (covered) all.push(covered)
      else report(`${test} is left out: it fails or takes too long.`)
    }
  }
  await Promise.all(places.map(work))
  return all
}

async function measured(place: Place, test: string, program: string): Promise<Covered | undefined> {
  const known = join(cache, `${test.replaceAll('/', '-')}.json`)
  const version = `${program} ${contentOf(test)}`
  if (existsSync(known)) {
    const kept = JSON.parse(readFileSync(known, 'utf8'))
    if (kept.version === version) return kept.covered ?? undefined
  }
  const folder = join(cache, `v8-${test.replaceAll('/', '-')}`)
  const start = performance.now()
  const outcome = await runTest(place, test, 120_000, { NODE_V8_COVERAGE: resolve(folder), TAP_BAIL: '0' })
  const milliseconds = Math.round(performance.now() - start)
  const covered = outcome === 'passed' ? { test, milliseconds, ranges: rangesIn(folder, place.folder) } : null
  rmSync(folder, { recursive: true, force: true })
  writeFileSync(known, JSON.stringify({ version, covered }))
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

/** Whether a test runs the place of a file. */
export function isRunBy({ ranges }: Covered, file: string, offset: number): boolean {
  let innermost: Range | undefined
  for (const range of ranges[file] ?? []) {
    const [start, end] = range
    if (start > offset || offset >= end) continue
    if (!innermost || end - start <= innermost[1] - innermost[0]) innermost = range
  }
  return innermost !== undefined && innermost[2] > 0
}
