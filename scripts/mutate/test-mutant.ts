import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestCoverage } from './coverage.js'
import { contentOf } from './files.js'
import { applyMutant, type Mutant } from './mutants.js'
import type { MutantStatus } from './report.js'
import { dropTestDatabases, runTests, type Worker } from './run-tests.js'
import { type Kills, selectTests } from './select-tests.js'

export interface MutantTest {
  status: MutantStatus
  /** Number of tests that cover the mutant and did not fit into the time limit. */
  untried: number
}

/** Runs the tests that cover a mutant within the time limit, until one fails. */
export async function testMutant(
  worker: Worker,
  mutant: Mutant,
  covered: readonly TestCoverage[],
  { kills, timeLimitMs }: { kills: Kills; timeLimitMs: number }
): Promise<MutantTest> {
  const { groups, untried } = selectTests(mutant, covered, kills, timeLimitMs)
  if (groups.length === 0) return { status: 'not covered', untried }
  const path = join(worker.folder, mutant.file)
  const content = contentOf(mutant.file)
  writeFileSync(path, applyMutant(content, mutant))
  try {
    for (const tests of groups) {
      if (!(await fail(worker, tests))) continue
      for (const { test } of tests) kills.add(mutant.file, test, 1 / tests.length)
      await dropTestDatabases(worker)
      return { status: 'killed', untried: 0 }
    }
    return { status: 'survived', untried }
  } finally {
    writeFileSync(path, content)
  }
}

/**
 * Whether one of the tests fails, or takes far longer than without a mutant. On a busy machine a
 * test may fail because it is slow, so a slow failure must be repeated.
 */
async function fail(worker: Worker, tests: readonly TestCoverage[]): Promise<boolean> {
  const files = tests.map(({ test }) => test)
  const usualMs = tests.reduce((sum, { durationMs }) => sum + durationMs, 0)
  const start = performance.now()
  const timeoutMs = 15_000 + 4 * usualMs
  if ((await runTests(worker, files, timeoutMs)) === 'passed') return false
  const isSlow = performance.now() - start > 10_000 + 2 * usualMs
  return !isSlow || (await runTests(worker, files, timeoutMs)) !== 'passed'
}
