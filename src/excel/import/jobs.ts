import { setTimeout as pause } from 'node:timers/promises'
import { catalogueConstraints } from '../../catalogue/problems.js'
import { newId } from '../../db/unit-of-work.js'
import type { Actor } from '../../platform/auth/actor.js'
import type { Semaphore } from '../../platform/concurrency/semaphore.js'
import { isConnectionLost } from '../../platform/errors/pg-errors.js'
import { problem } from '../../platform/errors/problem.js'
import { redactError } from '../../platform/errors/redact-error.js'
import { type Log, logLine } from '../../platform/logging/log-line.js'
import { queueSignal } from '../../platform/server/bulkhead.js'
import { Deadline } from '../../platform/server/deadline.js'
import { problemBody, problemOf } from '../../platform/server/error-handler.js'
import type { Ports } from '../../ports.js'
import type { Workbooks } from '../../xlsx/workbook.js'
import { problemOfRefusal } from '../problems.js'
import { faultyWorkbook, importResponse } from './import-response.js'
import { type ImportRequest, importWorkbook } from './import-workbook.js'
import { noteEnd, noteProgress, noteSuccess, openJob } from './job.store.js'
import type { ImportRow } from './tables.js'

/** Imports that go on when their request has been answered. */
export interface Jobs {
  /** Begins an import and answers its id. */
  begin(actor: Actor, file: Buffer, options: ImportRequest): Promise<string>
  /** Gives up those that are under way. */
  close(): Promise<void>
}

/** Milliseconds between two signs of life. */
const beat = 1000

/** How often the end of an import is noted while connections are lost. */
const MAX_ATTEMPTS = 5
const RETRY_DELAY_MS = 500

/** Only an import that has not taken effect can be noted as failed: then its outcome is known. */
const notWritten = () =>
  problem('database-unavailable', 'The import was not committed, and nothing was written. Try again later.')

/**
 * @param bulkhead permits for heavy work; an import waits for one.
 * @param timeout milliseconds that an import may take.
 */
export function createJobs(
  ports: Ports,
  workbooks: Workbooks,
  bulkhead: Semaphore,
  log: Log,
  timeout: number
): Jobs {
  const { db, resourceUrls } = ports
  const underWay = new Set<string>()

  async function run(id: string, actor: Actor, file: Buffer, options: ImportRequest): Promise<void> {
    const progress: Pick<ImportRow, 'phase' | 'rowsDone' | 'rows'> = {
      phase: 'reading',
      rowsDone: 0,
      rows: 0
    }
    const beating = setInterval(() => noteProgress(db, id, progress).catch(() => {}), beat)
    try {
      await bulkhead.run(queueSignal(actor.deadline), async () => {
        const importing = importWorkbook(ports, actor, await workbooks.read(file), {
          ...options,
          onProgress: (step) => Object.assign(progress, step),
          beforeCommit: async ({ tx }, report) => {
            const isWanted = await noteSuccess(tx, id, importResponse(resourceUrls, report, options))
            if (!isWanted) throw problem('busy', 'It was given up before.')
          }
        })
        const outcome = await actor.deadline.wait(importing)
        if ('faults' in outcome) throw faultyWorkbook(outcome.faults)
      })
    } catch (error) {
      await fail(id, actor, error)
    } finally {
      clearInterval(beating)
    }
  }

  async function fail(id: string, { auditContext }: Actor, error: unknown): Promise<void> {
    const found = problemOf(problemOfRefusal(error), catalogueConstraints)
    if (found.status >= 500)
      log.warn(logLine('An import failed', { code: found.code, cause: redactError(found.cause ?? error) }))
    const told = found.code === 'outcome-unknown' ? notWritten() : found
    const end = { state: 'failed', problem: problemBody(told, auditContext.call.requestId) } as const
    // To note it twice is to note it once; other connections may have been lost with the one of the import.
    for (let attempt = 1; ; attempt++)
      try {
        return await noteEnd(db, id, end)
      } catch (cause) {
        if (attempt === MAX_ATTEMPTS || !isConnectionLost(cause)) throw cause
        await pause(RETRY_DELAY_MS)
      }
  }

  return {
    async begin(caller, file, options) {
      const id = newId()
      await openJob(db, caller, id, options.dryRun)
      underWay.add(id)
      const actor = { ...caller, deadline: new Deadline(timeout) }
      void run(id, actor, file, options)
        .catch((error) =>
          log.warn(logLine('The end of an import cannot be noted', { cause: redactError(error) }))
        )
        .finally(() => underWay.delete(id))
      return id
    },
    async close() {
      await Promise.all([...underWay].map((id) => noteEnd(db, id, { state: 'interrupted' }).catch(() => {})))
    }
  }
}
