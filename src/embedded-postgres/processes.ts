import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { hasCode } from './errors.js'

/** A process, distinguishable from a later one with the same pid. */
export interface ProcessId {
  pid: number
  /** Its start time, only for comparison. Null if the platform does not provide it. */
  started: string | null
}

/** The process that has this pid now. Undefined if there is none. */
export function identify(pid: number): ProcessId | undefined {
  return isAlive(pid) ? { pid, started: startTime(pid) } : undefined
}

/** Whether the process of the record is running, and not another one with its pid. */
export function isSameProcess(record: ProcessId): boolean {
  const current = identify(record.pid)
  if (!current) return false
  return record.started === null || current.started === null || record.started === current.started
}

/** Whether a process with this pid is running. */
export function isAlive(pid: number): boolean {
  return pidExists(pid) && (process.platform !== 'linux' || !/^[ZX]/.test(linuxStat(pid)[0] ?? ''))
}

/** Whether the system lists a process with this pid, running or zombie. */
export function pidExists(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return hasCode(error, 'EPERM')
  }
}

/** The command line of a process, separated by NUL (Linux) or spaces. Empty if unknown. */
export function commandLine(pid: number): string {
  if (process.platform === 'linux') return orEmpty(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8'))
  if (process.platform === 'win32') return outputOf('tasklist', ['/FI', `PID eq ${pid}`, '/FO', 'CSV', '/NH'])
  return outputOf('ps', ['-ww', '-o', 'command=', '-p', String(pid)])
}

const POLL_INTERVAL_MS = 10

/** Polls the condition until it holds or the time is up. Returns whether it holds. */
export async function pollUntil(condition: () => boolean, timeoutMs: number): Promise<boolean> {
  const deadline = performance.now() + timeoutMs
  while (!condition()) {
    if (performance.now() > deadline) return false
    await sleep(POLL_INTERVAL_MS)
  }
  return true
}

function startTime(pid: number): string | null {
  if (process.platform === 'win32') return null
  if (process.platform !== 'linux') return outputOf('ps', ['-o', 'lstart=', '-p', String(pid)]) || null
  const ticks = linuxStat(pid)[19]
  // Ticks count from the boot, so they are only comparable within one boot.
  return ticks
    ? `${orEmpty(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')).trim()}/${ticks}`
    : null
}

/**
 * The fields of /proc/<pid>/stat from the third (state) on. The second may contain spaces and
 * brackets.
 */
function linuxStat(pid: number): string[] {
  const text = orEmpty(() => readFileSync(`/proc/${pid}/stat`, 'utf8'))
  return text.slice(text.lastIndexOf(')') + 2).split(' ')
}

function outputOf(command: string, args: readonly string[]): string {
  const env = { PATH: process.env.PATH, LC_ALL: 'C' }
  return orEmpty(() =>
    execFileSync(command, args, { encoding: 'utf8', env, stdio: ['ignore', 'pipe', 'ignore'] })
  ).trim()
}

function orEmpty(read: () => string): string {
  try {
    return read()
  } catch {
    return ''
  }
}
