import type { FastifyRequest } from 'fastify'
import type { ImportReport } from '../../catalogue/bulk/import-catalogue.js'
import { isCatalogueVisible } from '../../catalogue/lookup.js'
import type { AccessRule } from '../../platform/auth/access.js'
import type { Actor } from '../../platform/auth/actor.js'
import { problem } from '../../platform/errors/problem.js'
import type { App } from '../../platform/rest/route-config.js'
import { digestOf, inScopeOf } from '../../platform/rest/run-once.js'
import type { ImportOutcome } from './import-workbook.js'

/** An import in the background, or the outcome of one. */
export type StartedImport = { job: string } | ImportOutcome

/**
 * Runs an import, at most once for the `Idempotency-Key` of a POST. Repeats get the job or the
 * report of the first one, whichever of the two they prefer. The body is the same when the file is,
 * because forms of the same file differ in their boundaries.
 * @param read the rule for reading catalogues.
 * @throws Problem `not-found` when the caller may not see the catalogue of the first import, and
 *   those of `run`.
 */
export const importOnce = (
  app: App,
  read: AccessRule,
  request: FastifyRequest,
  file: Buffer,
  run: (actor: Actor) => Promise<StartedImport>
): Promise<StartedImport> =>
  app.runOnce<StartedImport, { job: string } | { report: ImportReport }>(request, {
    run,
    bodyDigest: digestOf(file),
    // The unit of work that starts a job returns its id, that of an import its report.
    toResult: (made) => (typeof made === 'string' ? { job: made } : { report: made as ImportReport }),
    async repeat(actor, result) {
      if (
        'report' in result &&
        !(await isCatalogueVisible(app, inScopeOf(read, actor), result.report.catalogueId))
      )
        throw problem('not-found', 'There is no such catalogue.')
      return result
    }
  })
