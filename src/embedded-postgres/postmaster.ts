import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { dataPathForServer, type ServerSetup } from './cluster.js'
import { programPath, runProgram } from './programs.js'

/** Reads postmaster.pid, which a server writes into its data directory. Undefined without one. */
export function readPostmasterFile(
  data: string
): { pid: number; port: string; isReady: boolean } | undefined {
  const lines = orEmpty(() => readFileSync(join(data, 'postmaster.pid'), 'utf8')).split('\n')
  const pid = Number(lines[0])
  return pid > 0 ? { pid, port: lines[3] ?? '', isReady: lines[7]?.trim() === 'ready' } : undefined
}

/** A server setting that identifies the server of this data directory by its command line. */
export const markerOption = (data: string): string => `ssl_backend.data_dir=${data}`

/**
 * Stops the server that a killed process left on the data. Only for the owner of the folder, while
 * it runs no server.
 */
export async function stopOrphan(setup: ServerSetup): Promise<void> {
  const { data } = setup.layout
  const pid = readPostmasterFile(data)?.pid ?? 0
  if (isServerOf(pid, data)) await stopPostmaster(setup, () => isServerOf(pid, data))
}

/**
 * Removes the pid file of a server that has ended. PostgreSQL treats any process with the pid of
 * this file as its server, and does not start with an empty file. Without the file it still detects
 * a running server by its shared memory, except in another container.
 */
export const removePostmasterFile = (data: string): Promise<void> =>
  rm(join(data, 'postmaster.pid'), { force: true })

/**
 * Stops a server, without a checkpoint if the checkpoint takes too long, because the next start
 * recovers.
 */
export async function stopPostmaster(setup: ServerSetup, isRunning: () => boolean): Promise<void> {
  const { layout, binaries, account } = setup
  const data = dataPathForServer(setup)
  // Ctrl-C also reaches pg_ctl, so the second pg_ctl continues.
  for (const mode of ['fast', 'fast', 'immediate']) {
    const args = ['stop', `--pgdata=${data}`, `--mode=${mode}`, '--timeout=15', '--silent']
    try {
      return await runProgram(programPath(binaries, 'pg_ctl'), args, { cwd: layout.data, account })
    } catch (error) {
      if (!isRunning()) return
      if (mode === 'immediate') throw error
    }
  }
}

/** Whether a process is the server of this data, because process ids are reused. */
export function isServerOf(pid: number, data: string): boolean {
  if (pid === 0) return false
  if (process.platform === 'linux')
    return orEmpty(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8'))
      .split('\0')
      .includes(markerOption(data))
  if (process.platform === 'win32')
    return outputOf('tasklist', ['/FI', `PID eq ${pid}`]).includes('postgres.exe')
  return outputOf('ps', ['-ww', '-o', 'command=', '-p', String(pid)]).includes(markerOption(data))
}

const outputOf = (command: string, args: readonly string[]) =>
  orEmpty(() => execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }))

function orEmpty(read: () => string): string {
  try {
    return read()
  } catch {
    return ''
  }
}
