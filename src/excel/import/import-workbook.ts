import {
  type ImportOptions,
  type ImportReport,
  importCatalogue,
  mayAnnotate
} from '../../catalogue/bulk/import-catalogue.js'
import type { Actor } from '../../platform/auth/actor.js'
import { FieldErrors, Problem } from '../../platform/errors/problem.js'
import type { Ports } from '../../ports.js'
import type { Workbook } from '../../xlsx/cells.js'
import { type CellFault, inReadingOrder, located } from '../sheets/cell-faults.js'
import { readContent } from '../sheets/read-content.js'

export type ImportRequest = Pick<ImportOptions, 'id' | 'dryRun'>

/** What came of a workbook: a report of what was done, or everything that is wrong, in reading order, and then nothing was written. */
export type ImportOutcome = { report: ImportReport } | { faults: readonly CellFault[] }

/**
 * Imports a catalogue from a workbook that was read, all or nothing.
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
  const ofContent = new FieldErrors()
  const isFaulty = faults.length > 0
  try {
    // Faulty cells are no reason not to tell what else is wrong.
    const report = await importCatalogue(
      ports,
      actor,
      ofContent,
      read.content,
      isFaulty ? { ...options, dryRun: true } : { ...options, ...(beforeCommit ? { beforeCommit } : {}) }
    )
    if (!isFaulty) return { report }
  } catch (error) {
    if (!(error instanceof Problem) || error.errors.length === 0) throw error
  }
  const others = located(ofContent.all, read.locate)
  return { faults: inReadingOrder(withOthers(faults, others), workbook.sheets) }
}

/** One fault a cell is enough: what follows from another is not told. */
function withOthers(faults: readonly CellFault[], others: readonly CellFault[]): CellFault[] {
  const keyOf = ({ sheet, cell }: CellFault) => `${sheet} ${cell}`
  const known = new Set(faults.map(keyOf))
  const isNew = (fault: CellFault) => !known.has(keyOf(fault)) && known.add(keyOf(fault)).size > 0
  return [...faults, ...others.filter(isNew)]
}
