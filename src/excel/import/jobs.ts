import { setTimeout as pause } from 'node:timers/promises'
import { catalogueConstraints } from '../../catalogue/problems.js'
import { newId } from '../../db/unit-of-work.js'
import type { Actor } from '../../platform/auth/actor.js'
import type { Semaphore } from '../../platform/concurrency/semaphore.js'
import { isConnectionLost } from '../../platform/errors/pg-errors.js'
import { problem } from '../../platform/errors/problem.js'
import { redactError } from '../../platform/errors/redact-error.js'
import { type Log, logLine } from '../../platform/logging/log-line.js'
import { maxWaitSignal } from '../../platform/server/bulkhead.js'
import { Deadline } from '../../platform/server/deadline.js'
import { problemBody, problemOf } from '../../platform/server/error-handler.js'
import { observeGauge, secondsSince } from '../../platform/telemetry/meter.js'
import type { Ports } from '../../ports.js'
import type { Workbooks } from '../../xlsx/workbook.js'
import { toWorkbookProblem } from '../problems.js'
import type { ImportRequest } from './import-request.js'
import { faultyWorkbookProblem } from './import-response.js'
import { importWorkbook } from './import-workbook.js'
import { endLostJobs, insertJob, markEnded, markSucceeded, saveProgress } from './job.store.js'
import type { ImportRow } from './tables.js'

/** Imports in the background, after the response to their request. */
export interface Jobs {
  /** Starts an import and returns its id. */
  start(actor: Actor, file: Buffer, options: ImportRequest): Promise<string>
  /**
   * Records imports whose instance is gone as interrupted: now, and every 30 seconds until `close`.
   */
  watch(): Promise<void>
  /** Records running imports as interrupted, which rolls them back. */
  close(): Promise<void>
}

const HEARTBEAT_MS = 1000

/** Milliseconds between two looks for imports whose instance is gone. */
const WATCH_MS = 30_000

/** Attempts to record the end of an import while connections are lost. */
const MAX_ATTEMPTS = 5
const RETRY_DELAY_MS = 500

/** Replaces `outcome-unknown`: an import recorded as failed has not been committed. */
const notWritten = () =>
  problem('database-unavailable', 'The import was not committed, and nothing was written. Try again later.')

/**
 * @param bulkhead permits for heavy work. Each import waits for one.
 * @param timeoutMs time limit for an import.
 */
export function createJobs(
  ports: Ports,
  workbooks: Workbooks,
  bulkhead: Semaphore,
  log: Log,
  timeoutMs: number
): Jobs {
  const { db } = ports
  /** Start of each import by its id. */
  const running = new Map<string, number>()
  let timer: NodeJS.Timeout | undefined
  let watching: Promise<void> = Promise.resolve()
  const stopObserving = observeGauge(
    'ssl.import.oldest.age',
    { description: 'Seconds since the oldest running import started, or 0.', unit: 's' },
    () => [[Math.max(0, ...[...running.values()].map(secondsSince))]]
  )

  async function run(id: string, actor: Actor, file: Buffer, options: ImportRequest): Promise<void> {
    const progress: Pick<ImportRow, 'phase' | 'rowsDone' | 'rows'> = {
      phase: 'reading',
      rowsDone: 0,
      rows: 0
    }
    const heartbeat = setInterval(() => saveProgress(db, id, progress).catch(() => {}), HEARTBEAT_MS)
    try {
      await bulkhead.run(maxWaitSignal(actor.deadline), async () => {
        const importing = importWorkbook(ports, actor, await workbooks.read(file), options, {
          importId: id,
          recordsDryRun: true,
          onProgress: (step) => Object.assign(progress, step),
          record: async (work, result) => {
            const isWanted = await markSucceeded(work, id, result)
            if (!isWanted) throw problem('busy', 'The import was interrupted before. Try again.')
          }
        })
        const outcome = await actor.deadline.wait(importing)
        if ('faults' in outcome) throw faultyWorkbookProblem(outcome.faults, options.language)
      })
    } catch (error) {
      await fail(id, actor, error)
    } finally {
      clearInterval(heartbeat)
    }
  }

  async function fail(id: string, { auditContext }: Actor, error: unknown): Promise<void> {
    const found = problemOf(toWorkbookProblem(error), catalogueConstraints)
    if (found.status >= 500)
      log.warn(logLine('Import failed', { code: found.code, cause: redactError(found.cause ?? error) }))
    const known = found.code === 'outcome-unknown' ? notWritten() : found
    const end = { state: 'failed', problem: problemBody(known, auditContext.call.requestId) } as const
    // Recording it twice is harmless. More connections may be lost than that of the import.
    for (let attempt = 1; ; attempt++)
      try {
        return await markEnded(db, id, end)
      } catch (cause) {
        if (attempt === MAX_ATTEMPTS || !isConnectionLost(cause)) throw cause
        await pause(RETRY_DELAY_MS)
      }
  }

  function endLost(): Promise<void> {
    watching = endLostJobs(db).catch((cause) =>
      log.warn(logLine('Cannot look for lost imports', { cause: redactError(cause) }))
    )
    return watching
  }

  return {
    watch() {
      timer = setInterval(endLost, WATCH_MS).unref()
      return endLost()
    },
    async start(caller, file, options) {
      const id = newId()
      await insertJob(db, caller, id, options.dryRun)
      running.set(id, performance.now())
      // The response to the request names the job, whatever it makes.
      const actor = { ...caller, deadline: new Deadline(timeoutMs), reservation: undefined }
      void run(id, actor, file, options)
        .catch((error) =>
          log.warn(logLine('Failed to record the end of an import', { cause: redactError(error) }))
        )
        .finally(() => running.delete(id))
      return id
    },
    async close() {
      stopObserving()
      clearInterval(timer)
      await watching
      await Promise.all(
        [...running.keys()].map((id) => markEnded(db, id, { state: 'interrupted' }).catch(() => {}))
      )
    }
  }
}
