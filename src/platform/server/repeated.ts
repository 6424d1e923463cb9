import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { redactError } from '../errors/redact-error.js'
import { logLine } from '../logging/log-line.js'

export interface RepeatedOptions {
  /** Default: an hour. */
  intervalMs?: number
  /** Whether the server listens only after the first run, even if it fails. */
  isAwaited?: boolean
  /** The log message of a failed run. */
  failure: string
  /** @param signal is aborted when the server closes; the next interval continues the work. */
  run(signal: AbortSignal): Promise<unknown>
}

const HOUR_MS = 60 * 60 * 1000

/**
 * Runs work when the server begins to listen, and at intervals afterwards. Closing the server waits
 * for the work.
 */
export const repeatedWork = fp<RepeatedOptions>(
  async (app: FastifyInstance, { intervalMs = HOUR_MS, isAwaited = false, failure, run }) => {
    const closing = new AbortController()
    let running: Promise<unknown> | undefined
    const start = () => {
      running ??= run(closing.signal)
        .catch((cause) => app.log.error(logLine(failure, { cause: redactError(cause) })))
        .finally(() => {
          running = undefined
        })
    }
    let timer: NodeJS.Timeout | undefined
    const begin = async () => {
      start()
      timer = setInterval(start, intervalMs).unref()
    }
    if (!isAwaited) app.addHook('onListen', begin)
    else
      app.addHook('onReady', async () => {
        await begin()
        await running
      })
    app.addHook('onClose', async () => {
      clearInterval(timer)
      closing.abort()
      await running
    })
  },
  { name: 'repeated' }
)
