import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { parseTap, type TapReport } from './tap-report.js'

/** The result of the files of a process. */
export interface GroupResult extends TapReport {
  files: readonly string[]
  seconds: number
}

export interface RunOptions {
  /** Number of concurrent processes. */
  jobs: number
  /** A process is killed after this time. */
  timeoutSeconds: number
  env: NodeJS.ProcessEnv
  /** Called when a process has exited. */
  onEnd: (result: GroupResult) => void
  /** Kills running processes and starts no more. */
  signal: AbortSignal
}

/** Runs groups of test files, each in its own process, with limited concurrency, in order. */
export async function runFiles(groups: readonly string[][], { jobs, ...options }: RunOptions): Promise<void> {
  const queue = [...groups]
  const work = async () => {
    for (let files = queue.shift(); files && !options.signal.aborted; files = queue.shift())
      options.onEnd(await runGroup(files, options))
  }
  await Promise.all(Array.from({ length: jobs }, work))
}

const RUNNER = join('dist', 'testing', 'scripts', 'test', 'run-group.js')

function runGroup(
  files: readonly string[],
  { timeoutSeconds, env, signal }: Omit<RunOptions, 'jobs'>
): Promise<GroupResult> {
  const start = performance.now()
  // Faster than tap's own command, which starts each file with loaders and parses all its output.
  const args = ['--enable-source-maps', '--require=./test/fixtures/without-tap-hooks.cjs', RUNNER, ...files]
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    // Without its command, tap applies its own limit.
    env: { ...env, TAP_TIMEOUT: String(timeoutSeconds) },
    signal,
    killSignal: 'SIGTERM'
  })
  const output = { tap: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output.tap += text
  })
  child.stderr.setEncoding('utf8').on('data', (text) => {
    output.stderr += text
  })
  let timeoutMessage = ''
  const timer = setTimeout(() => {
    timeoutMessage = `Killed after ${timeoutSeconds} seconds.\n${output.tap.slice(-1000)}\n`
    child.kill('SIGKILL')
  }, timeoutSeconds * 1000)
  return new Promise((resolve) => {
    child.on('error', () => {})
    child.on('close', (code) => {
      clearTimeout(timer)
      const report = parseTap(output.tap, files, code)
      const failures =
        report.failed > 0 ? `${report.failures}${output.stderr.slice(-10_000)}${timeoutMessage}` : ''
      resolve({ ...report, failures, files, seconds: (performance.now() - start) / 1000 })
    })
  })
}
