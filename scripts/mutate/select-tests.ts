import { mayShareProcess } from '../test/schedule.js'
import { isCovered, type TestCoverage } from './coverage.js'
import type { Mutant } from './mutants.js'

/** Counts the mutants of a file that a test killed. */
export class Kills {
  readonly #counts = new Map<string, number>()

  count(file: string, test: string): number {
    return this.#counts.get(`${file} ${test}`) ?? 0
  }

  /** @param share less than 1 when several tests ran together. */
  add(file: string, test: string, share: number): void {
    this.#counts.set(`${file} ${test}`, this.count(file, test) + share)
  }
}

/** Tests in likelihood order, by process. */
interface Selection {
  groups: TestCoverage[][]
  /** Number of covering tests that do not fit into the time limit. */
  untried: number
}

/** Number of most likely tests that each have their own process: one of them usually fails. */
const FIRST_TESTS = 3

/**
 * Maximum number of tests that share a process, which saves loading the program for each. Few,
 * because a mutant that hangs is recognized only after a multiple of their time.
 */
const TESTS_PER_PROCESS = 4

/** Selects the tests that cover a mutant and fit into the time limit, the most likely first. */
export function selectTests(
  mutant: Mutant,
  covered: readonly TestCoverage[],
  kills: Kills,
  timeLimitMs: number
): Selection {
  const covering = covered
    .filter((each) => isCovered(each, mutant.file, mutant.start))
    .map((each) => ({ each, likelihood: likelihoodOf(each, mutant, kills) }))
    .sort((a, b) => b.likelihood - a.likelihood)
    .map(({ each }) => each)
  // The fastest test does little but load the program.
  const startupMs = Math.min(...covered.map(({ durationMs }) => durationMs))
  const groups: TestCoverage[][] = []
  let shared: TestCoverage[] | undefined
  let remainingMs = timeLimitMs
  let untried = 0
  for (const each of covering) {
    const mayShare = groups.length >= FIRST_TESTS && mayShareProcess(each.test)
    const group = mayShare && shared && shared.length < TESTS_PER_PROCESS ? shared : []
    const durationMs = each.durationMs - (group.length > 0 ? startupMs : 0)
    if (durationMs > remainingMs && groups.length > 0) {
      untried++
      continue
    }
    remainingMs -= durationMs
    if (group.length === 0) groups.push(group)
    group.push(each)
    if (mayShare) shared = group
  }
  return { groups, untried }
}

/** Files with texts of the OpenAPI documents. */
const documentedFile =
  /(access|serializers|problems|docs|routes|examples|schemas|json-patch)\.js$|\/openapi\//

/** How likely a test kills the mutant per millisecond. */
function likelihoodOf({ test, durationMs }: TestCoverage, { file }: Mutant, kills: Kills): number {
  const [, module = ''] = file.split('/')
  const noun = file.split('/').at(-1)?.split('.')[0] ?? ''
  const isDedicated =
    (documentedFile.test(file) && test.includes('openapi')) ||
    (file.endsWith('tables.js') && test.includes('schema'))
  const isRelated = test.startsWith(`test/${module}/`) || test.includes(noun)
  const bonus = isDedicated ? 100 : isRelated ? 1 : 0.1
  return (kills.count(file, test) + bonus) / (durationMs + 500)
}
