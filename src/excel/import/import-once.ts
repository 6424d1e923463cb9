import type { FastifyRequest } from 'fastify'
import { catalogueResource } from '../../catalogue/resources.js'
import { findCatalogue } from '../../catalogue/visibility.js'
import type { AccessRule } from '../../platform/auth/access-rule.js'
import type { Call } from '../../platform/auth/call.js'
import { problem } from '../../platform/errors/problem.js'
import type { App } from '../../platform/rest/route-config.js'
import { digestOf, inScopeOf } from '../../platform/rest/run-once.js'
import type { ImportResult } from '../schemas.js'
import type { ImportOutcome } from './import-workbook.js'

/**
 * Runs an import, at most once for the `Idempotency-Key` of a POST. Repeats get the result of the
 * first one. The body is the same when the file is, because forms of the same file differ in their
 * boundaries.
 * @param read the rule for reading catalogues.
 * @throws Problem `not-found` when the caller may not see the catalogue of the first import, and
 *   those of `run`.
 */
export const importOnce = (
  app: App,
  read: AccessRule,
  request: FastifyRequest,
  file: Buffer,
  run: (call: Call) => Promise<ImportOutcome>
): Promise<ImportOutcome> =>
  app.runOnce<ImportOutcome, { result: ImportResult }>(request, {
    run,
    bodyDigest: digestOf(file),
    toResult: (result) => ({ result: result as ImportResult }),
    async repeat(call, made) {
      const url = made.result.catalogue
      const id = url === null ? undefined : app.resourceUrls.id(catalogueResource, url)
      if (id !== undefined && !(await findCatalogue(app.db, inScopeOf(read, call), id)))
        throw problem('not-found')
      return made
    }
  })
