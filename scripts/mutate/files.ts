import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { bundle } from '../bundle.js'

/** The compiled program and its tests. It is never mutated: each worker has its own copy. */
export const ORIGINAL_FOLDER = join('dist', 'mutation-0')

/** Compiles the program and its tests. Returns the folder of a copy for each worker. */
export async function compile(workers: number): Promise<string[]> {
  rmSync(ORIGINAL_FOLDER, { recursive: true, force: true })
  const { status } = spawnSync('npx', ['tsc', '-p', 'tsconfig.test.json', '--outDir', ORIGINAL_FOLDER], {
    stdio: 'inherit'
  })
  if (status !== 0) throw new Error('The tests do not compile.')
  await bundle(join(ORIGINAL_FOLDER, 'program'))
  return Array.from({ length: workers }, (_, index) => {
    const copy = join('dist', `mutation-${index + 1}`)
    rmSync(copy, { recursive: true, force: true })
    cpSync(ORIGINAL_FOLDER, copy, { recursive: true })
    return copy
  })
}

const compiled = (folder: string): string[] =>
  readdirSync(join(ORIGINAL_FOLDER, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.js'))
    .map((name) => join(folder, name))
    .sort()

/** Compiled files whose path has one of the prefixes, such as `src/order/`. */
export const filesUnder = (prefixes: readonly string[]): string[] =>
  compiled('src').filter((file) => prefixes.some((prefix) => file.startsWith(prefix)))

/** Compiled test files. */
export const testFiles = (): string[] => compiled('test').filter((file) => file.endsWith('.test.js'))

export const contentOf = (file: string): string => readFileSync(join(ORIGINAL_FOLDER, file), 'utf8')

/** A digest of the program. */
export function digestOfProgram(): string {
  const hash = createHash('sha256')
  for (const file of [...compiled('src'), 'fastify.config.js']) hash.update(file).update(contentOf(file))
  return hash.digest('hex')
}
