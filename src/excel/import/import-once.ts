import type { FastifyRequest } from 'fastify'
import { isCatalogueVisible } from '../../catalogue/lookup.js'
import { catalogueResource } from '../../catalogue/resources.js'
import type { AccessRule } from '../../platform/auth/access.js'
import type { Actor } from '../../platform/auth/actor.js'
import { problem } from '../../platform/errors/problem.js'
import type { App } from '../../platform/rest/route-config.js'
import { digestOf, inScopeOf } from '../../platform/rest/run-once.js'
import type { ImportResult } from '../schemas.js'
import type { ImportOutcome } from './import-workbook.js'

/** An import in the background, or the outcome of one. */
export type StartedImport = { job: string } | ImportOutcome

/**
 * Runs an import, at most once for the `Idempotency-Key` of a POST. Repeats get the job or the
 * result of the first one, whichever of the two they prefer. The body is the same when the file is,
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
  app.runOnce<StartedImport, { job: string } | { result: ImportResult }>(request, {
    run,
    bodyDigest: digestOf(file),
    // The unit of work that starts a job returns its id, that of an import its result.
    toResult: (made) => (typeof made === 'string' ? { job: made } : { result: made as ImportResult }),
    async repeat(actor, made) {
      const url = 'result' in made ? made.result.catalogue : null
      const id = url === null ? undefined : app.resourceUrls.id(catalogueResource, url)
      if (id !== undefined && !(await isCatalogueVisible(app, inScopeOf(read, actor), id)))
        throw problem('not-found', 'There is no such catalogue.')
      return made
    }
  })
