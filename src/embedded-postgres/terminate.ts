import { type Binaries, program } from './binaries.js'
import { hasCode } from './errors.js'
import { waitFor } from './processes.js'
import { run } from './run.js'

/** A fast shutdown first; then one without a checkpoint, after which the next start recovers; then by force. */
const steps = [
  { signal: 'INT', patience: 10_000 },
  { signal: 'QUIT', patience: 10_000 },
  { signal: 'KILL', patience: 5000 }
] as const

/** Ends a PostgreSQL server and resolves when it is gone; `running` says whether it still is. */
export async function terminate(pid: number, running: () => boolean, binaries: Binaries): Promise<void> {
  for (const { signal, patience } of steps) {
    if (!running()) return
    await send(pid, signal, binaries)
    if (await waitFor(() => !running(), patience)) return
  }
  throw new Error(`The PostgreSQL server with the pid ${pid} does not end`)
}

async function send(pid: number, signal: 'INT' | 'QUIT' | 'KILL', binaries: Binaries): Promise<void> {
  if (process.platform === 'win32' && signal !== 'KILL') {
    // Windows has no signals; PostgreSQL brings its own, and any other process ignores them.
    await run(program(binaries, 'pg_ctl'), ['kill', signal, String(pid)], { cwd: '/', account: undefined })
    return
  }
  try {
    process.kill(pid, `SIG${signal}`)
  } catch (error) {
    // It has ended in this moment, which the caller's next look will tell.
    if (!hasCode(error, 'ESRCH')) throw error
  }
}
