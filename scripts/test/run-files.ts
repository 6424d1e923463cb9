import { type ChildProcess, spawn } from 'node:child_process'
import type { FileReport, Message } from './worker.js'

export interface RunOptions {
  /** Number of concurrent processes. */
  workers: number
  /** A file that takes longer fails, and its process is killed. */
  secondsPerFile: number
  /**
   * A file also fails, and its process is killed, if no test starts or ends and no assertion is
   * made for this long.
   */
  stallSeconds: (file: string) => number
  env: NodeJS.ProcessEnv
  /** Returns the compiled file of a source file. */
  compiled: (file: string) => string
  /** Called when a file has ended. */
  onEnd: (result: FileResult) => void
  /** Kills running processes and starts no further ones. */
  signal: AbortSignal
}

export interface FileResult extends FileReport {
  file: string
  seconds: number
}

/** A process is replaced after this many files, when it has grown to this size, or after a failed file. */
const MAX_FILES = 30
const MAX_RSS_BYTES = 700e6

/** Characters of the output of a process that are shown if it dies. */
const MAX_OUTPUT = 10_000

/**
 * Runs test files in a few long-lived processes, each of which takes the next file when it is free:
 * loading tap and the program takes longer than most files.
 */
export async function runFiles(files: readonly string[], options: RunOptions): Promise<FileResult[]> {
  const queue = [...files]
  const results: FileResult[] = []
  const next = () => (options.signal.aborted ? undefined : queue.shift())
  const onEnd = (result: FileResult) => {
    if (options.signal.aborted) return
    results.push(result)
    options.onEnd(result)
  }
  await Promise.all(Array.from({ length: options.workers }, () => work(next, { ...options, onEnd })))
  return results
}

/** Runs files until none is left, in one process after another. */
async function work(next: () => string | undefined, options: RunOptions): Promise<void> {
  let worker: Worker | undefined
  for (let file = next(), count = 1; file; file = next(), count++) {
    worker ??= startWorker(options)
    const result = await worker.run(file)
    options.onEnd(result)
    const isUsedUp = count >= MAX_FILES || result.rssBytes > MAX_RSS_BYTES || result.failed > 0
    if (!isUsedUp && worker.isAlive()) continue
    worker.stop()
    worker = undefined
    count = 0
  }
  worker?.stop()
}

/** The report of a file whose process died. */
const noReport = { passed: 0, failed: 1, skipped: [], hasRun: true, rssBytes: 0 }

interface Worker {
  /** Runs a file. If the process dies or takes too long, the result is a failure. */
  run(file: string): Promise<FileResult>
  isAlive(): boolean
  stop(): unknown
}

function startWorker({ compiled, env, signal, secondsPerFile, stallSeconds }: RunOptions): Worker {
  const child = spawn(process.execPath, ['--enable-source-maps', compiled('scripts/test/worker.ts')], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    // The limits of a file replace those of tap.
    env: { ...env, TAP_TIMEOUT: '0' },
    // A separate process group, so that the programs that a test started are killed with the
    // process.
    detached: true
  })
  const output = lastOutput(child)
  const kill = () => killGroup(child)
  signal.addEventListener('abort', kill)
  child.once('exit', () => signal.removeEventListener('abort', kill))

  function run(file: string): Promise<FileResult> {
    const start = performance.now()
    let running = file
    return new Promise((resolve) => {
      const end = (report: FileReport) => {
        for (const timer of [limit, stall]) clearTimeout(timer)
        child.off('message', onMessage).off('close', onClose)
        resolve({ ...report, file, seconds: (performance.now() - start) / 1000 })
      }
      const fail = (reason: string) => end({ ...noReport, failures: `${reason}\n${output()}\n` })
      const killAfter = (seconds: number, what: string) =>
        setTimeout(() => {
          fail(`Killed after ${seconds} seconds${what}. It ran: ${running}`)
          kill()
        }, seconds * 1000)
      const limit = killAfter(secondsPerFile, '')
      const stall = killAfter(stallSeconds(file), ' without progress')
      // tap also sends messages.
      const onMessage = ({ running: name, report }: Message) => {
        if (report) return end(report)
        running = name ?? running
        if (name) stall.refresh()
      }
      const onClose = (code: number | null, by: string | null) =>
        fail(`Its process ended with ${code ?? by}.`)
      child.on('message', onMessage).on('close', onClose)
      child.send(compiled(file), () => {})
    })
  }

  const isAlive = () => child.connected && !child.killed && child.exitCode === null
  return { run, isAlive, stop: () => child.connected && child.disconnect() }
}

/** Keeps the end of both output streams, with the TAP of tests that have not ended. */
function lastOutput(child: ChildProcess): () => string {
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text) => {
      output = (output + text).slice(-MAX_OUTPUT)
    })
  return () => output
}

/** Kills a process and the children in its group. */
function killGroup(child: ChildProcess): void {
  child.kill('SIGKILL')
  try {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
  } catch {
    // The process group has ended.
  }
}
