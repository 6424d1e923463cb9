import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { hasCode } from './errors.js'

/** A process, told apart from a later one that was given the same number. */
export interface ProcessId {
  pid: number
  /** When it started, in a form only good for comparing; null where the platform does not tell. */
  started: string | null
}

/** Identifies the process that has this number now; undefined when there is none. */
export function identify(pid: number): ProcessId | undefined {
  return isAlive(pid) ? { pid, started: startTime(pid) } : undefined
}

/** True while the very process of the record lives, and not another one with its number. */
export function isSameProcess(record: ProcessId): boolean {
  const current = identify(record.pid)
  if (!current) return false
  return record.started === null || current.started === null || record.started === current.started
}

/** True while a process with this number runs. */
export function isAlive(pid: number): boolean {
  return isListed(pid) && (process.platform !== 'linux' || !/^[ZX]/.test(linuxStat(pid)[0] ?? ''))
}

/** True while the system knows a process of this number, even if it has ended and only waits to be collected. */
export function isListed(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return hasCode(error, 'EPERM')
  }
}

/** The command line of a process, its words separated by a NUL (Linux) or a blank; empty when unknown. */
export function commandLine(pid: number): string {
  if (process.platform === 'linux') return quietly(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8'))
  if (process.platform === 'win32') return ask('tasklist', ['/FI', `PID eq ${pid}`, '/FO', 'CSV', '/NH'])
  return ask('ps', ['-ww', '-o', 'command=', '-p', String(pid)])
}

/** Waits until the condition holds, for at most so many milliseconds, and says whether it does. */
export async function waitFor(condition: () => boolean, milliseconds: number): Promise<boolean> {
  const deadline = performance.now() + milliseconds
  while (!condition()) {
    if (performance.now() > deadline) return false
    await sleep(10)
  }
  return true
}

function startTime(pid: number): string | null {
  if (process.platform === 'win32') return null
  if (process.platform !== 'linux') return ask('ps', ['-o', 'lstart=', '-p', String(pid)]) || null
  const ticks = linuxStat(pid)[19]
  // Ticks count from the boot of the machine, so they only compare within one.
  return ticks
    ? `${quietly(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')).trim()}/${ticks}`
    : null
}

/** The fields of /proc/<pid>/stat from the third (the state) on; the second may hold blanks and brackets. */
function linuxStat(pid: number): string[] {
  const text = quietly(() => readFileSync(`/proc/${pid}/stat`, 'utf8'))
  return text.slice(text.lastIndexOf(')') + 2).split(' ')
}

function ask(command: string, args: readonly string[]): string {
  const env = { PATH: process.env.PATH, LC_ALL: 'C' }
  return quietly(() =>
    execFileSync(command, args, { encoding: 'utf8', env, stdio: ['ignore', 'pipe', 'ignore'] })
  ).trim()
}

function quietly(read: () => string): string {
  try {
    return read()
  } catch {
    return ''
  }
}
