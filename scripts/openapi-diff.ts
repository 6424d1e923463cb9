import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { readArguments } from './arguments.js'
import { documentFacts, factDifferences } from './document-facts.js'

const [givenBase] = readArguments(
  `npm run openapi:diff -- [<base commit>]

Prints the differences between the documents of a base commit and those of the working tree,
except for texts and examples: - is missing now, + is new, ~ has another value. The base is the
argument, or the commit at which the branch left origin/main, or the previous commit. Fails if a
part is missing and no commit since the base has the mark ! of a breaking change.`,
  { allowPositionals: true }
).positionals
const folder = mkdtempSync(join(tmpdir(), 'ssl-openapi-diff-'))

/** The output of git. Undefined if the command fails. */
function git(...args: string[]): string | undefined {
  const { status, stdout } = spawnSync('git', args, { encoding: 'utf8' })
  return status === 0 ? stdout.trim() : undefined
}

function baseCommit(): string {
  const parted = git('merge-base', 'HEAD', 'origin/main')
  const name = givenBase ?? (parted === git('rev-parse', 'HEAD') ? undefined : parted) ?? 'HEAD^'
  const commit = git('rev-parse', '--verify', `${name}^{commit}`)
  if (commit === undefined) throw new Error(`${name} is not in this copy. Run git fetch --unshallow.`)
  return commit
}

/** Extracts the files of a commit. The files use the packages of this checkout. */
function extract(commit: string): string {
  const sources = join(folder, 'sources')
  mkdirSync(sources)
  const { stdout } = spawnSync('git', ['archive', commit], { maxBuffer: 2 ** 28 })
  spawnSync('tar', ['-x', '-C', sources], { input: stdout })
  symlinkSync(resolve('node_modules'), join(sources, 'node_modules'))
  return sources
}

/**
 * The content of the documents that the sources make. Undefined if the sources make no documents.
 */
function factsOf(sources: string, name: string): Map<string, string> | undefined {
  const documents = join(folder, name)
  const program = join(sources, 'node_modules', '.bin', 'tsx')
  const { status } = spawnSync(program, ['scripts/openapi.ts', documents], { cwd: sources, stdio: 'inherit' })
  if (status !== 0) return undefined
  const files = readdirSync(documents).filter((file) => !file.endsWith('.swagger.json'))
  return new Map(
    files.flatMap((file) => documentFacts(JSON.parse(readFileSync(join(documents, file), 'utf8')), file))
  )
}

/** @returns whether the change may land. */
function compare(base: string): boolean {
  const after = factsOf('.', 'after')
  if (!after) return false
  const before = factsOf(extract(base), 'before')
  if (!before) {
    process.stdout.write(`Compared nothing: the sources of ${base} make no documents.\n`)
    return true
  }
  const { lines, missing } = factDifferences(before, after)
  for (const line of lines) process.stdout.write(`${line}\n`)
  const isMarked = /^\w+(\([\w-]+\))?!:/m.test(git('log', '--format=%s', `${base}..`) ?? '')
  process.stdout.write(`${lines.length} differences to ${base}, ${missing.length} missing.\n`)
  if (missing.length > 0 && !isMarked)
    process.stdout.write('If this is intended, mark a commit as breaking: feat(order)!: …\n')
  return missing.length === 0 || isMarked
}

try {
  process.exitCode = compare(baseCommit()) ? 0 : 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}
