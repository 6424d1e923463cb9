import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isCovered, type TestCoverage } from './coverage.js'
import { contentOf } from './files.js'
import { applyMutant, type Mutant } from './mutants.js'
import type { MutantStatus } from './report.js'
import { dropTestDatabases, runTest, type Worker } from './run-test.js'

/**
 * How many mutants of a file each test killed. A test with more kills runs earlier for that file.
 */
export type Kills = Map<string, number>

/** Runs the tests that cover a mutant within the time limit, until one fails. */
export async function testMutant(
  worker: Worker,
  mutant: Mutant,
  covered: readonly TestCoverage[],
  { kills, timeLimitMs }: { kills: Kills; timeLimitMs: number }
): Promise<MutantStatus> {
  const tests = selectTests(mutant, covered, kills, timeLimitMs)
  if (tests.length === 0) return 'not covered'
  const path = join(worker.folder, mutant.file)
  const content = contentOf(mutant.file)
  writeFileSync(path, applyMutant(content, mutant))
  try {
    for (const { test, durationMs } of tests) {
      if (!(await fails(worker, test, durationMs))) continue
      const key = `${mutant.file} ${test}`
      kills.set(key, (kills.get(key) ?? 0) + 1)
      await dropTestDatabases(worker)
      return 'killed'
    }
    return 'survived'
  } finally {
    writeFileSync(path, content)
  }
}

/**
 * Whether a test fails, or takes far longer than without a mutant. On a busy machine a test may
 * fail because it is slow, so a slow failure must be repeated.
 */
async function fails(worker: Worker, test: string, usualMs: number): Promise<boolean> {
  const start = performance.now()
  const timeoutMs = 15_000 + 4 * usualMs
  if ((await runTest(worker, test, timeoutMs)) === 'passed') return false
  const isSlow = performance.now() - start > 10_000 + 2 * usualMs
  return !isSlow || (await runTest(worker, test, timeoutMs)) !== 'passed'
}

/** Files with texts of the OpenAPI documents. */
const documentedFile = /(access|serializers|problems|docs|routes|examples|schemas)\.js$/

/** Tests that cover a mutant and fit into the time limit, those most likely to fail first. */
function selectTests(
  { file, start }: Mutant,
  covered: readonly TestCoverage[],
  kills: Kills,
  timeLimitMs: number
): TestCoverage[] {
  const [, module = ''] = file.split('/')
  const noun = file.split('/').at(-1)?.split('.')[0] ?? ''
  const likelihood = ({ test, durationMs }: TestCoverage) => {
    const isDedicated =
      (documentedFile.test(file) && test.includes('openapi')) ||
      (file.endsWith('tables.js') && test.includes('schema'))
    const isRelated = test.startsWith(`test/${module}/`) || test.includes(noun)
    const bonus = isDedicated ? 100 : isRelated ? 1 : 0.1
    return ((kills.get(`${file} ${test}`) ?? 0) + bonus) / (durationMs + 500)
  }
  const covering = covered
    .filter((each) => isCovered(each, file, start))
    .sort((a, b) => likelihood(b) - likelihood(a))
  let remainingMs = timeLimitMs
  return covering.filter(({ durationMs }) => {
    remainingMs -= durationMs
    return remainingMs + durationMs > 0
  })
}
