import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

/** The levels of tests, which the suffix of a file names. */
const suffixes = { test: '.test.ts', system: '.system.test.ts', random: '.random.test.ts' } as const

export type Level = keyof typeof suffixes

export const isLevel = (name: string): name is Level => Object.hasOwn(suffixes, name)

export const levelOf = (file: string): Level =>
  (['system', 'random'] as const).find((level) => file.endsWith(suffixes[level])) ?? 'test'

/** The test files of a path: a file of any level, or the files of a level in a folder. */
export function testFiles(path: string, level: Level): string[] {
  if (statSync(path).isFile()) return [normalize(path)]
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts') && levelOf(file) === level)
    .map((file) => join(path, file))
    .toSorted()
}

/** Seconds that each file took when it ran last. Kept between runs to start slow files first. */
const DURATIONS_FILE = 'node_modules/.cache/ssl-backend/test-durations.json'

function durations(): Record<string, number> {
  try {
    return JSON.parse(readFileSync(DURATIONS_FILE, 'utf8'))
  } catch {
    return {}
  }
}

export function recordDurations(results: readonly { file: string; seconds: number }[]): void {
  const recent = Object.fromEntries(results.map(({ file, seconds }) => [file, seconds]))
  mkdirSync(dirname(DURATIONS_FILE), { recursive: true })
  writeFileSync(DURATIONS_FILE, JSON.stringify({ ...durations(), ...recent }))
}

/**
 * New files first, then the slowest files of the last run, so that no slow file runs alone at the
 * end.
 */
export function slowestFirst(files: readonly string[]): string[] {
  const known = durations()
  const secondsOf = (file: string) => known[file] ?? Number.POSITIVE_INFINITY
  return files.toSorted((a, b) => secondsOf(b) - secondsOf(a) || 0)
}

/** A random order, so that no file depends on state that another file left in the process. */
export function shuffled(files: readonly string[], seed: number): string[] {
  const rank = (file: string) => createHash('sha256').update(`${seed} ${file}`).digest('hex')
  return files.toSorted((a, b) => (rank(a) < rank(b) ? -1 : 1))
}
