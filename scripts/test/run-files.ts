import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { type Report, reportOf } from './tap-report.js'

/** What came of the files of a process. */
export interface Outcome extends Report {
  files: readonly string[]
  seconds: number
}

export interface RunOptions {
  /** Processes that run at once. */
  jobs: number
  /** Seconds after which a process is killed. */
  timeout: number
  env: NodeJS.ProcessEnv
  /** Told of each process when it has ended. */
  onEnd: (outcome: Outcome) => void
  /** Ends what runs. */
  signal: AbortSignal
}

/** Runs test files, each group in a process of its own, some at once, in their order. */
export async function runFiles(groups: readonly string[][], { jobs, ...options }: RunOptions): Promise<void> {
  const waiting = [...groups]
  const work = async () => {
    for (let files = waiting.shift(); files && !options.signal.aborted; files = waiting.shift())
      options.onEnd(await runGroup(files, options))
  }
  await Promise.all(Array.from({ length: jobs }, work))
}

const several = join('dist', 'testing', 'scripts', 'test', 'several.js')

function runGroup(
  files: readonly string[],
  { timeout, env, signal }: Omit<RunOptions, 'jobs'>
): Promise<Outcome> {
  const began = performance.now()
  // tap's own command would start each file with its loaders and parse all it says; here nobody needs them.
  const args = ['--enable-source-maps', '--require=./test/fixtures/without-tap-hooks.cjs', several, ...files]
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    // tap has a limit of its own for what it runs without its command.
    env: { ...env, TAP_TIMEOUT: String(timeout) },
    signal,
    killSignal: 'SIGTERM'
  })
  const output = { tap: '', others: '' }
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output.tap += text
  })
  child.stderr.setEncoding('utf8').on('data', (text) => {
    output.others += text
  })
  let late = ''
  const timer = setTimeout(() => {
    late = `It was killed after ${timeout} seconds.\n${output.tap.slice(-1000)}\n`
    child.kill('SIGKILL')
  }, timeout * 1000)
  return new Promise((resolve) => {
    child.on('error', () => {})
    child.on('close', (code) => {
      clearTimeout(timer)
      const report = reportOf(output.tap, code)
      const failures = report.failed > 0 ? `${report.failures}${output.others.slice(-10_000)}${late}` : ''
      resolve({ ...report, failures, files, seconds: (performance.now() - began) / 1000 })
    })
  })
}
