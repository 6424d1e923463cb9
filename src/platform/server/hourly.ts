import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { redactError } from '../errors/redact-error.js'
import { logLine } from '../logging/log-line.js'

/** Work of each hour. */
export interface HourlyOptions {
  /** What is logged when it fails. */
  failure: string
  /** @param signal aborted when the server closes: the rest is done in the next hour. */
  run(signal: AbortSignal): Promise<void>
}

const INTERVAL_MS = 60 * 60 * 1000

/** Runs work when the server listens, and every hour. Closing waits for it. */
export const hourly = fp<HourlyOptions>(
  async (app: FastifyInstance, { failure, run }) => {
    const closing = new AbortController()
    let running = Promise.resolve()
    const start = () => {
      running = run(closing.signal).catch((cause) =>
        app.log.error(logLine(failure, { cause: redactError(cause) }))
      )
    }
    const timer = setInterval(start, INTERVAL_MS).unref()
    app.addHook('onListen', async () => start())
    app.addHook('onClose', async () => {
      clearInterval(timer)
      closing.abort()
      await running
    })
  },
  { name: 'hourly' }
)
