import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Covered, isRunBy } from './coverage.js'
import { contentOf } from './files.js'
import { type Mutant, mutated } from './mutants.js'
import type { Verdict } from './report.js'
import { dropLeftovers, type Place, runTest } from './run-test.js'

/** How many mutants of a file a test killed: the next ones of that file are shown to that test first. */
export type Kills = Map<string, number>

/** Runs the tests that run the place of a mutant, in the milliseconds that one mutant has, until one fails. */
export async function judge(
  place: Place,
  mutant: Mutant,
  covered: readonly Covered[],
  { kills, milliseconds: allowed }: { kills: Kills; milliseconds: number }
): Promise<Verdict> {
  const tests = choose(mutant, covered, kills, allowed)
  if (tests.length === 0) return 'not covered'
  const path = join(place.folder, mutant.file)
  const content = contentOf(mutant.file)
  writeFileSync(path, mutated(content, mutant))
  try {
    for (const { test, milliseconds } of tests) {
      if (!(await fails(place, test, milliseconds))) continue
      const key = `${mutant.file} ${test}`
      kills.set(key, (kills.get(key) ?? 0) + 1)
      await dropLeftovers(place)
      return 'killed'
    }
    return 'survived'
  } finally {
    writeFileSync(path, content)
  }
}

/**
 * Whether a test fails, or takes far longer than without a mutant. On a busy machine a test may fail for slowness, so one that took
 * long fails only when it fails again.
 */
async function fails(place: Place, test: string, usual: number): Promise<boolean> {
  const start = performance.now()
  const timeout = 15_000 + 4 * usual
  if ((await runTest(place, test, timeout)) === 'passed') return false
  const tookLong = performance.now() - start > 10_000 + 2 * usual
  return !tookLong || (await runTest(place, test, timeout)) !== 'passed'
}

/** Files whose texts stand in the OpenAPI documents. */
const documenting = /(access|forms|problems|remarks|routes|samples|schemas)\.js$/

/** Tests that run the place of a mutant, the likeliest to notice first, in the time that one mutant has. */
function choose(
  { file, start }: Mutant,
  covered: readonly Covered[],
  kills: Kills,
  allowed: number
): Covered[] {
  const [, module = ''] = file.split('/')
  const noun = file.split('/').at(-1)?.split('.')[0] ?? ''
  const likelihood = ({ test, milliseconds }: Covered) => {
    const isMeant =
      (documenting.test(file) && test.includes('openapi')) ||
      (file.endsWith('tables.js') && test.includes('schema'))
    const isNear = test.startsWith(`test/${module}/`) || test.includes(noun)
    const bonus = isMeant ? 100 : isNear ? 1 : 0.1
    return ((kills.get(`${file} ${test}`) ?? 0) + bonus) / (milliseconds + 500)
  }
  const running = covered
    .filter((each) => isRunBy(each, file, start))
    .sort((a, b) => likelihood(b) - likelihood(a))
  let left = allowed
  return running.filter(({ milliseconds }) => {
    left -= milliseconds
    return left + milliseconds > 0
  })
}
