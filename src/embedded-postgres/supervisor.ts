import type { Server } from './server.js'

/** What to do when the server ends although nobody stopped it. */
export interface SupervisorOptions {
  /** Starts the server again, on the same port. */
  start(port: number): Promise<Server>
  /** Receives a line when the server ended unexpectedly, and when it runs again. */
  warn(message: string): void
  /** Called once, when the server cannot be started again. */
  failed(error: Error): void
}

/** More restarts than this within `WINDOW_MS` are no accident. */
const MAX_RESTARTS = 5
const WINDOW_MS = 60_000

/**
 * Starts a server again in place when it ends unexpectedly: same data, port and password, so that clients only need to
 * connect again. Gives up when that fails, or is needed too often.
 * @returns how to stop the server, also while it is being started again.
 */
export function supervise(first: Server, { start, warn, failed }: SupervisorOptions): () => Promise<void> {
  let running: Promise<Server | undefined> = Promise.resolve(first)
  let restarts: number[] = []
  let isStopping = false

  function watch(server: Server): void {
    void server.ended.then((how) => {
      if (isStopping) return
      warn(`The embedded PostgreSQL (pid ${server.pid}) ended unexpectedly (${how}). It is started again.`)
      running = restart(server.port)
    })
  }

  async function restart(port: number): Promise<Server | undefined> {
    try {
      const now = performance.now()
      restarts = [...restarts.filter((at) => now - at < WINDOW_MS), now]
      if (restarts.length > MAX_RESTARTS)
        throw new Error(`It ended ${restarts.length} times within ${WINDOW_MS / 1000} seconds.`)
      const server = await start(port)
      warn(`The embedded PostgreSQL runs again (pid ${server.pid}). What was committed is there.`)
      watch(server)
      return server
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause)
      failed(
        new Error(
          `The embedded PostgreSQL ended unexpectedly and cannot be started again. ${reason}\n` +
            'Remove the cause, then start this program again: what was committed is there.'
        )
      )
      return undefined
    }
  }

  watch(first)
  return async () => {
    isStopping = true
    await (await running)?.stop()
  }
}
