import type { FastifyRequest } from 'fastify'
import { importableParts } from '../../catalogue/catalogue.access.js'
import { importCatalogue } from '../../catalogue/content/import-catalogue.js'
import { catalogueResource } from '../../catalogue/resources.js'
import { findCatalogue } from '../../catalogue/visibility.js'
import { newId } from '../../db/unit-of-work.js'
import type { AccessRule } from '../../platform/auth/access-rule.js'
import type { Call } from '../../platform/auth/call.js'
import { FieldErrors } from '../../platform/errors/field-errors.js'
import { Problem, problem } from '../../platform/errors/problem.js'
import type { App } from '../../platform/rest/route-config.js'
import { digestOf, inScopeOf } from '../../platform/rest/run-once.js'
import type { Ports } from '../../ports.js'
import type { Workbook } from '../../xlsx/reading/cells.js'
import type { ImportResult } from '../schemas.js'
import { type CellFault, inReadingOrder, locateFaults } from '../sheets/cell-faults.js'
import { readContent } from '../sheets/reading/read-content.js'
import { type ImportRequest, toImportResult } from './import-response.js'

/** A result, or all faults in reading order; with faults, nothing was written. */
export type ImportOutcome =
  | { result: ImportResult; revision?: string | null }
  | { faults: readonly CellFault[] }

/**
 * Imports a catalogue from a parsed workbook, all or nothing.
 * @throws Problem `catalogue-exists`, `other-catalogue`, `not-found`, `terminology-unavailable`,
 *   `busy`.
 */
export async function importWorkbook(
  ports: Ports,
  call: Call,
  workbook: Workbook,
  request: ImportRequest
): Promise<ImportOutcome> {
  const { terminology, limits } = ports
  const { id, dryRun, isConfirmed, fileName } = request
  const faults: CellFault[] = []
  const options = { terminology, parts: importableParts(call), maxItems: limits.workbookItems }
  const read = await readContent(workbook, options, faults)
  if (!read) return { faults: inReadingOrder(faults, workbook.sheets) }
  const errors = new FieldErrors()
  const importId = newId()
  const isFaulty = faults.length > 0
  let revision: string | null = null
  try {
    // Validates the content even if cells have faults, so that all faults are reported at once.
    const result = await importCatalogue(ports, call, errors, read.content, {
      id,
      source: { id: importId, fileName },
      dryRun: dryRun || isFaulty,
      isConfirmed,
      toResult: (report) => {
        revision = report.revision
        return toImportResult(ports, report, { ...request, importId }, read)
      }
    })
    if (!isFaulty) return { result, revision }
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    const isOtherCatalogue = error.code === 'catalogue-exists' || error.code === 'other-catalogue'
    if (isOtherCatalogue ? !isFaulty : error.errors.length === 0) throw error
  }
  const others = locateFaults(errors.all, read.locate)
  return { faults: inReadingOrder(withOthers(faults, others), workbook.sheets) }
}

/**
 * Adds the faults of cells without a fault, because a second fault usually follows from the first.
 */
function withOthers(faults: readonly CellFault[], others: readonly CellFault[]): CellFault[] {
  const keyOf = ({ sheet, cell }: CellFault) => `${sheet} ${cell}`
  const known = new Set(faults.map(keyOf))
  const isNew = (fault: CellFault) => !known.has(keyOf(fault)) && known.add(keyOf(fault)).size > 0
  return [...faults, ...others.filter(isNew)]
}

/**
 * Runs an import, at most once for the `Idempotency-Key` of a POST. Repeats get the result of the
 * first import. The body counts as equal if the file is equal, because forms with the same file
 * differ in their boundaries.
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
