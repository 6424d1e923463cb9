import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { compiledIn } from '../test/fixtures/compiled.js'
import { startDatabase } from '../test/fixtures/database.js'
import { failWithUsage, readArguments } from './arguments.js'
import { bundle } from './bundle.js'
import { bundlePages } from './bundle-pages.js'
import { writeClient } from './client/generate.js'
import { compile } from './test/compile.js'
import { reportProgress } from './test/progress.js'
import { runFiles } from './test/run-files.js'
import { isLevel, levelOf, recordDurations, shuffled, slowestFirst, testFiles } from './test/test-files.js'

const usage = `npm test -- [<test file or folder>…] [--level=<level>] [options]

Runs the test files of a level, or the named test files of any level, on a real PostgreSQL.
Everything is compiled once.
  --level     test (default), system, random
  --workers   number of processes; default: the number of processors plus one
  --timeout   seconds per file; default: 1800
  --seed      a random order of the files, and the seed of random tests
  --effort    factor for the number of cases of random tests
  --complete  fails tests that are skipped because a program is not installed`

const { values, positionals } = readArguments(usage, {
  allowPositionals: true,
  options: {
    level: { type: 'string', default: 'test' },
    // One more than there are processors, because some files mostly wait.
    workers: { type: 'string', default: String(availableParallelism() + 1) },
    timeout: { type: 'string', default: '1800' },
    seed: { type: 'string' },
    effort: { type: 'string', default: '1' },
    complete: { type: 'boolean', default: false }
  }
})
const { level, seed } = values

/**
 * A file that makes no progress for this time is killed. The programs of other levels start slowly.
 */
const STALL_SECONDS = { test: 100, system: 600, random: 600 }

const paths = positionals.length > 0 ? positionals : ['test']
const stop = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stop.abort())

async function main(): Promise<number> {
  if (!isLevel(level)) failWithUsage(`There is no level ${level}.`, usage)
  const missing = paths.find((path) => !existsSync(path))
  if (missing) failWithUsage(`There is no ${missing}. Name test files or folders, such as test/order.`, usage)
  const files = paths.flatMap((path) => testFiles(path, level))
  await writeClient()
  const folder = mkdtempSync(join(tmpdir(), 'ssl-test-'))
  // Within the project, because the compiled files load its packages.
  mkdirSync('dist', { recursive: true })
  const output = mkdtempSync(join('dist', 'testing-'))
  // Some tests start programs as another user.
  chmodSync(output, 0o755)
  try {
    const [database] = await Promise.all([startDatabase(folder), build(files, output), bundlePages()])
    try {
      return await run(files, { ...database.env, TEST_OUTPUT: output })
    } finally {
      await database.stop()
    }
  } finally {
    for (const each of [folder, output]) rmSync(each, { recursive: true, force: true })
  }
}

async function build(files: readonly string[], output: string): Promise<void> {
  await compile(files, output)
  // System tests start servers from the bundle, as in production.
  if (files.some((file) => levelOf(file) !== 'test')) await bundle(join(output, 'program'))
}

async function run(files: readonly string[], env: Record<string, string>): Promise<number> {
  if (seed !== undefined) process.stdout.write(`Random order of files, seed ${seed}.\n`)
  const { onEnd, summary } = reportProgress(files.length, values.complete)
  const results = await runFiles(seed === undefined ? slowestFirst(files) : shuffled(files, Number(seed)), {
    compiled: (file) => compiledIn(env.TEST_OUTPUT ?? '', file),
    workers: Number(values.workers),
    secondsPerFile: Number(values.timeout),
    stallSeconds: (file) => STALL_SECONDS[levelOf(file)],
    env: {
      ...process.env,
      ...env,
      TEST_EFFORT: values.effort,
      ...(seed !== undefined && { TEST_SEED: seed })
    },
    onEnd,
    signal: stop.signal
  })
  recordDurations(results)
  return summary(stop.signal.aborted)
}

process.exitCode = await main()
