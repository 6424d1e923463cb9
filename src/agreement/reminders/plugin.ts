import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { redactError } from '../../platform/errors/redact-error.js'
import { logLine } from '../../platform/logging/log-line.js'
import { reportExpiringContracts } from './expiring-contracts.js'

const INTERVAL_MS = 60 * 60 * 1000

/** Reports contracts that are about to end: at the start, and every hour. */
export const contractReminders = fp(
  async (app: FastifyInstance) => {
    const report = () =>
      reportExpiringContracts(app).catch((cause) =>
        app.log.error(logLine('Failed to report expiring contracts', { cause: redactError(cause) }))
      )
    const timer = setInterval(report, INTERVAL_MS).unref()
    app.addHook('onReady', report)
    app.addHook('onClose', async () => clearInterval(timer))
  },
  { name: 'contract-reminders' }
)
