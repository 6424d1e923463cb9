import type { Actor } from '../../platform/auth/actor.js'
import { problem } from '../../platform/errors/problem.js'
import { isId } from '../../platform/rest/resource-urls.js'
import type { Ports } from '../../ports.js'
import type { ImportJob } from '../schemas.js'
import { findJob } from './job.store.js'

/**
 * Progress and result of an import that the caller started.
 * @throws Problem `not-found`.
 */
export async function viewJob({ db }: Ports, actor: Actor, jobId: string): Promise<ImportJob> {
  const job = isId(jobId) ? await findJob(db, actor, jobId) : undefined
  if (!job) throw problem('not-found', 'There is no such import.')
  const { id, state, phase, rowsDone, rows, dryRun, report, problem: failure } = job
  return {
    id,
    state,
    phase,
    rowsDone,
    rows,
    dryRun,
    report,
    problem: failure as ImportJob['problem']
  }
}
