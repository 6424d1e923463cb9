import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { bundle } from '../bundle.js'

/** The compiled program and its tests. It is never mutated: each worker has a copy for that. */
export const original = join('dist', 'mutation-0')

/** Compiles the program and its tests, and answers one copy for each worker. */
export async function compile(workers: number): Promise<string[]> {
  rmSync(original, { recursive: true, force: true })
  const { status } = spawnSync('npx', ['tsc', '-p', 'tsconfig.test.json', '--outDir', original], {
    stdio: 'inherit'
  })
  if (status !== 0) throw new Error('The tests do not compile.')
  await bundle(join(original, 'program'))
  return Array.from({ length: workers }, (_, at) => {
    const copy = join('dist', `mutation-${at + 1}`)
    rmSync(copy, { recursive: true, force: true })
    cpSync(original, copy, { recursive: true })
    return copy
  })
}

const compiled = (folder: string): string[] =>
  readdirSync(join(original, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.js'))
    .map((name) => join(folder, name))
    .sort()

/** Compiled files whose path begins like one of these, as `src/order/` or `src/platform/access`. */
export const filesUnder = (beginnings: readonly string[]): string[] =>
  compiled('src').filter((file) => beginnings.some((beginning) => file.startsWith(beginning)))

/** Compiled test files. */
export const testFiles = (): string[] => compiled('test').filter((file) => file.endsWith('.test.js'))

export const contentOf = (file: string): string => readFileSync(join(original, file), 'utf8')

/** A digest of the program. */
export function digestOfProgram(): string {
  const hash = createHash('sha256')
  for (const file of [...compiled('src'), 'fastify.config.js']) hash.update(file).update(contentOf(file))
  return hash.digest('hex')
}
