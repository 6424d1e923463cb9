import { spawn } from 'node:child_process'
import { type Report, reportOf } from './tap-report.js'

/** A file that has run. */
export interface Outcome extends Report {
  file: string
  seconds: number
}

export interface RunOptions {
  /** Files that run at once. */
  jobs: number
  /** Seconds after which a file is killed. */
  timeout: number
  env: NodeJS.ProcessEnv
  /** Told of each file when it has ended. */
  onEnd: (outcome: Outcome) => void
  /** Ends what runs. */
  signal: AbortSignal
}

/** Runs test files, each in a process of its own, some at once, in their order. */
export async function runFiles(files: readonly string[], { jobs, ...options }: RunOptions): Promise<void> {
  const waiting = [...files]
  const work = async () => {
    for (let file = waiting.shift(); file && !options.signal.aborted; file = waiting.shift())
      options.onEnd(await runFile(file, options))
  }
  await Promise.all(Array.from({ length: jobs }, work))
}

function runFile(file: string, { timeout, env, signal }: Omit<RunOptions, 'jobs'>): Promise<Outcome> {
  const began = performance.now()
  // tap's own command would start each file with its loaders and parse all it says; here nobody needs them.
  const args = ['--enable-source-maps', '--require=./test/fixtures/unwatched.cjs', file]
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    // tap has a limit of its own for a file that it runs without its command.
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
      resolve({ ...report, failures, file, seconds: (performance.now() - began) / 1000 })
    })
  })
}
