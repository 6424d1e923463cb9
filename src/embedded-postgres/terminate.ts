import { hasCode } from './errors.js'
import { pollUntil } from './processes.js'
import { type Binaries, programPath, runProgram } from './run.js'

/**
 * Fast shutdown, then immediate shutdown without a checkpoint, after which the next start recovers,
 * then kill.
 */
const SHUTDOWN_STEPS = [
  { signal: 'INT', timeoutMs: 10_000 },
  { signal: 'QUIT', timeoutMs: 10_000 },
  { signal: 'KILL', timeoutMs: 5000 }
] as const

/**
 * Terminates a PostgreSQL server and resolves when it has exited. `running` tells whether it is
 * running.
 */
export async function terminate(pid: number, running: () => boolean, binaries: Binaries): Promise<void> {
  for (const { signal, timeoutMs } of SHUTDOWN_STEPS) {
    if (!running()) return
    await send(pid, signal, binaries)
    if (await pollUntil(() => !running(), timeoutMs)) return
  }
  throw new Error(`The PostgreSQL server with the pid ${pid} does not exit.`)
}

async function send(pid: number, signal: 'INT' | 'QUIT' | 'KILL', binaries: Binaries): Promise<void> {
  if (process.platform === 'win32' && signal !== 'KILL') {
    // Windows has no signals. PostgreSQL emulates them; other processes ignore these.
    await runProgram(programPath(binaries, 'pg_ctl'), ['kill', signal, String(pid)], {
      cwd: '/',
      account: undefined
    })
    return
  }
  try {
    process.kill(pid, `SIG${signal}`)
  } catch (error) {
    // It has exited meanwhile. The caller checks again.
    if (!hasCode(error, 'ESRCH')) throw error
  }
}
