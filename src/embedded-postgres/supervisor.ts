import type { EmbeddedServer } from './server.js'

export interface SupervisorOptions {
  /** Restarts the server on this port. */
  start(port: number): Promise<EmbeddedServer>
  /** Receives a message when the server has exited unexpectedly, and when it runs again. */
  warn(message: string): void
  /** Called once, when the server cannot be restarted. */
  failed(error: Error): void
}

/** With more restarts within `WINDOW_MS` the supervisor stops restarting. */
const MAX_RESTARTS = 5
const WINDOW_MS = 60_000

/**
 * Restarts a server that exits unexpectedly with the same data, port and password, so that clients
 * only need to reconnect. Gives up when a restart fails or when there are too many.
 * @returns a function that stops the server, also during a restart.
 */
export function supervise(
  first: EmbeddedServer,
  { start, warn, failed }: SupervisorOptions
): () => Promise<void> {
  let running: Promise<EmbeddedServer | undefined> = Promise.resolve(first)
  let restarts: number[] = []
  let isStopping = false

  function watch(server: EmbeddedServer): void {
    void server.exited.then((reason) => {
      if (isStopping) return
      warn(`The embedded PostgreSQL (pid ${server.pid}) exited unexpectedly (${reason}). Restarting it.`)
      running = restart(server.port)
    })
  }

  async function restart(port: number): Promise<EmbeddedServer | undefined> {
    try {
      const now = performance.now()
      restarts = [...restarts.filter((at) => now - at < WINDOW_MS), now]
      if (restarts.length > MAX_RESTARTS)
        throw new Error(`It exited ${restarts.length} times within ${WINDOW_MS / 1000} seconds.`)
      const server = await start(port)
      warn(`The embedded PostgreSQL runs again (pid ${server.pid}). All committed data is intact.`)
      watch(server)
      return server
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause)
      failed(
        new Error(
          `The embedded PostgreSQL exited unexpectedly and cannot be restarted. ${reason}\n` +
            'Fix the cause, then start this program again. All committed data is intact.'
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
