import { type ChildProcess, fork } from 'node:child_process'
import type { Message, Task } from './messages.js'
import { workbookProgram } from './program.js'
import { WorkbookRefusal } from './refusal.js'
import { sandboxArguments } from './sandbox.js'

/** What a process finds before it ends. */
export type Result = Exclude<Message, { kind: 'done' | 'refusal' }>

/**
 * Does a task in a process of its own, which is killed when it takes too long and ends by itself when it wants too much memory. It is
 * gone when this settles.
 * @param onResult is given what the process finds, bit by bit
 * @throws WorkbookRefusal
 */
export async function inChild(task: Task, onResult: (result: Result) => void): Promise<void> {
  const child = await startChild(task.limits.heapMegabytes).catch((cause) => {
    throw new WorkbookRefusal({ code: 'reader-failed' }, cause)
  })
  const gone = new Promise<void>((resolve) => {
    child.once('exit', () => resolve())
    child.once('error', () => child.pid === undefined && resolve())
  })
  try {
    await outcome(child, task, onResult)
  } finally {
    child.kill('SIGKILL')
    await gone
  }
}

/**
 * Starts the process that works on workbooks, in a sandbox. What it prints, such as Node's warning that permissions are
 * experimental, goes nowhere.
 * @param nodeArguments further arguments of `node`
 */
export async function startChild(
  heapMegabytes: number,
  nodeArguments: readonly string[] = []
): Promise<ChildProcess> {
  const { file, folders } = await workbookProgram()
  return fork(file, {
    // Most of what the parser makes lives shortly: with room for it, it is not moved to and fro.
    execArgv: [
      ...sandboxArguments(folders),
      `--max-old-space-size=${heapMegabytes}`,
      '--max-semi-space-size=16',
      ...nodeArguments
    ],
    // It needs none of the settings, and is to know none of the secrets.
    env: {},
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    serialization: 'advanced'
  })
}

function outcome(child: ChildProcess, task: Task, onResult: (result: Result) => void): Promise<void> {
  const { milliseconds } = task.limits
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new WorkbookRefusal({ code: 'too-slow', limit: milliseconds })),
      milliseconds
    )
    child.on('message', (message: Message) => {
      try {
        if (message.kind === 'refusal') throw new WorkbookRefusal(message.refusal, message.cause)
        if (message.kind === 'done') resolve()
        else onResult(message)
      } catch (error) {
        reject(error)
      }
    })
    child.once('error', (cause) => reject(new WorkbookRefusal({ code: 'reader-failed' }, cause)))
    // What was sent before the end is still to come when a process exits, but not when its pipe is closed.
    child.once('close', (code, signal) => reject(endOf(code, signal)))
    child.send(task, (error) => error && reject(endOf(child.exitCode, child.signalCode)))
    child.once('close', () => clearTimeout(timer))
  })
}

/** What it means that the process ended without a result: Node aborts when its heap is full, and the system kills. */
function endOf(code: number | null, signal: NodeJS.Signals | null): WorkbookRefusal {
  const isMemory = signal === 'SIGABRT' || signal === 'SIGKILL' || code === 134 || code === 137
  return new WorkbookRefusal(
    { code: isMemory ? 'too-much-memory' : 'reader-failed' },
    `it ended by ${signal ?? code}`
  )
}
