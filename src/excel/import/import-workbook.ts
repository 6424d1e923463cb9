import {
  type ImportOptions,
  type ImportReport,
  importCatalogue,
  mayAnnotate
} from '../../catalogue/bulk/import-catalogue.js'
import type { Actor } from '../../platform/auth/actor.js'
import { FieldErrors, Problem } from '../../platform/errors/problem.js'
import type { Language } from '../../platform/util/accept-language.js'
import type { Ports } from '../../ports.js'
import type { Workbook } from '../../xlsx/reading/cells.js'
import { type CellFault, inReadingOrder, locateFaults } from '../sheets/cell-faults.js'
import { readContent } from '../sheets/reading/read-content.js'

/** What a request asks for, and the language of its faults. */
export type ImportRequest = Pick<ImportOptions, 'id' | 'dryRun'> & { language: Language }

/** A report, or all faults in reading order; with faults, nothing was written. */
export type ImportOutcome = { report: ImportReport } | { faults: readonly CellFault[] }

/**
 * Imports a catalogue from a parsed workbook, all or nothing.
 * @throws Problem `not-found`, `terminology-unavailable`, `busy`.
 */
export async function importWorkbook(
  ports: Ports,
  actor: Actor,
  workbook: Workbook,
  { beforeCommit, ...options }: ImportOptions
): Promise<ImportOutcome> {
  const { terminology, limits } = ports
  const faults: CellFault[] = []
  const read = await readContent(workbook, { terminology, isAnnotator: mayAnnotate(actor), limits }, faults)
  if (!read) return { faults: inReadingOrder(faults, workbook.sheets) }
  const errors = new FieldErrors()
  const isFaulty = faults.length > 0
  try {
    // Validate the content also if cells have faults, so that all faults are reported at once.
    const report = await importCatalogue(
      ports,
      actor,
      errors,
      read.content,
      isFaulty ? { ...options, dryRun: true } : { ...options, ...(beforeCommit ? { beforeCommit } : {}) }
    )
    if (!isFaulty) return { report }
  } catch (error) {
    if (!(error instanceof Problem) || error.errors.length === 0) throw error
  }
  const others = locateFaults(errors.all, read.locate)
  return { faults: inReadingOrder(withOthers(faults, others), workbook.sheets) }
}

/** Adds the faults of cells that have none yet: a second one usually follows from the first. */
function withOthers(faults: readonly CellFault[], others: readonly CellFault[]): CellFault[] {
  const keyOf = ({ sheet, cell }: CellFault) => `${sheet} ${cell}`
  const known = new Set(faults.map(keyOf))
  const isNew = (fault: CellFault) => !known.has(keyOf(fault)) && known.add(keyOf(fault)).size > 0
  return [...faults, ...others.filter(isNew)]
}
