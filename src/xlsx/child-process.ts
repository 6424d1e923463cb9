import { type ChildProcess, fork } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { WorkbookError } from './format/workbook-error.js'
import type { RunTask, TaskMessage, TaskResult, WorkbookTask } from './task.js'

/**
 * Runs a task in a child process. The process is killed after `limits.timeoutMs`, and aborts when
 * its heap is full. The process has exited when the promise settles.
 */
export const runInChild: RunTask = async (task, onResult) => {
  const child = await startChild(task.limits.heapMegabytes).catch((cause) => {
    throw new WorkbookError({ code: 'reader-failed' }, cause)
  })
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => resolve())
    child.once('error', () => child.pid === undefined && resolve())
  })
  try {
    await waitForEnd(child, task, onResult)
  } finally {
    child.kill('SIGKILL')
    await exited
  }
}

/**
 * Starts the sandboxed child process. Its output is discarded, such as Node's warning that
 * permissions are experimental.
 * @param nodeArguments further arguments of `node`.
 */
export async function startChild(
  heapMegabytes: number,
  nodeArguments: readonly string[] = []
): Promise<ChildProcess> {
  const { file, folders } = await workbookProgram()
  return fork(file, {
    // Most objects of the parser are short-lived: a larger young generation avoids copying them.
    execArgv: [
      ...sandboxArguments(folders),
      `--max-old-space-size=${heapMegabytes}`,
      '--max-semi-space-size=16',
      ...nodeArguments
    ],
    // The child process needs no settings and must not see secrets.
    env: {},
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    serialization: 'advanced'
  })
}

function waitForEnd(
  child: ChildProcess,
  task: WorkbookTask,
  onResult: (result: TaskResult) => void
): Promise<void> {
  const { timeoutMs } = task.limits
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new WorkbookError({ code: 'too-slow' })), timeoutMs)
    child.on('message', (message: TaskMessage) => {
      try {
        if (message.kind === 'failed') throw new WorkbookError(message.details, message.cause)
        if (message.kind === 'done') resolve()
        else onResult(message)
      } catch (error) {
        reject(error)
      }
    })
    child.once('error', (cause) => reject(new WorkbookError({ code: 'reader-failed' }, cause)))
    // Messages may still arrive after 'exit', but not after 'close'.
    child.once('close', (code, signal) => reject(exitError(code, signal)))
    child.send(task, (error) => error && reject(exitError(child.exitCode, child.signalCode)))
    child.once('close', () => clearTimeout(timer))
  })
}

/**
 * The error for an exit without a result. Node aborts when its heap is full, and the system kills
 * the process when memory runs out.
 */
function exitError(code: number | null, signal: NodeJS.Signals | null): WorkbookError {
  const isMemory = signal === 'SIGABRT' || signal === 'SIGKILL' || code === 134 || code === 137
  return new WorkbookError(
    { code: isMemory ? 'too-much-memory' : 'reader-failed' },
    `exited with ${signal ?? code}`
  )
}

let bundled: Promise<string> | undefined

/**
 * The program of the child process, as JavaScript, and the folders that it must be able to read.
 * The program is compiled first if this file runs as TypeScript.
 */
export async function workbookProgram(): Promise<{ file: string; folders: readonly string[] }> {
  const extension = extname(import.meta.url)
  const beside = fileURLToPath(new URL(`./child${extension}`, import.meta.url))
  bundled ??= extension === '.ts' ? bundle(beside) : Promise.resolve(beside)
  const file = await bundled
  return { file, folders: [dirname(file), packagesFolder()] }
}

/** The folder `node_modules` that contains exceljs. */
const packagesFolder = (): string =>
  dirname(dirname(createRequire(import.meta.url).resolve('exceljs/package.json')))

/**
 * Compiles the child program for `npm run dev` and scripts: tsx starts processes and writes files,
 * which the sandbox denies.
 */
async function bundle(source: string): Promise<string> {
  const { build } = await import('esbuild')
  const file = join(dirname(packagesFolder()), 'dist', 'dev', 'child.js')
  const format = { bundle: true, format: 'esm', platform: 'node', target: 'node20' } as const
  await build({ ...format, entryPoints: [source], outfile: file, packages: 'external', logLevel: 'warning' })
  return file
}

/**
 * Arguments for Node that allow a process only to read these folders. The arguments deny other
 * files, writing, processes, workers, native addons and WASI. Node 20 and 22 do not deny the
 * network. Empty if this Node has no permission model.
 */
export function sandboxArguments(
  folders: readonly string[],
  flags: ReadonlySet<string> = process.allowedNodeEnvironmentFlags
): string[] {
  const permission = ['--permission', '--experimental-permission'].find((flag) => flags.has(flag))
  return permission ? [permission, ...folders.map((folder) => `--allow-fs-read=${join(folder, '*')}`)] : []
}
