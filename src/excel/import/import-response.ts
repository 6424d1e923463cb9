import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ImportReport } from '../../catalogue/content/import-catalogue.js'
import { catalogueResource } from '../../catalogue/resources.js'
import { fill, type Language } from '../../platform/errors/language.js'
import { addVary } from '../../platform/headers/negotiation.js'
import type { Ports } from '../../ports.js'
import type { FaultList } from '../../xlsx/marking/fault-sheet.js'
import type { Workbooks } from '../../xlsx/workbook.js'
import { faultListHeaders, faultListTexts } from '../faults.texts.js'
import { excelProblem } from '../problems.js'
import type { ImportResult } from '../schemas.js'
import { type CellFault, toResponse } from '../sheets/cell-faults.js'
import type { ReadContent } from '../sheets/reading/read-content.js'
import { XLSX_MEDIA_TYPE } from '../sheets/writing/write-workbook.js'
import { toImportChanges } from './import-changes.js'

export interface ImportRequest {
  /** The catalogue to update. Undefined creates a new catalogue. */
  id: string | undefined
  dryRun: boolean
  /** Whether to update the catalogue even if another catalogue has its new name or identifier. */
  isConfirmed: boolean
  language: Language
  /** Name of the uploaded file, for the history. */
  fileName: string | null
}

/** Maximum number of faults in a response. */
const MAX_FAULTS = 1000
/** Maximum number of ignored columns in a response. */
const MAX_IGNORED = 100

/** Converts the report of an import of this content to the body of a response. */
export function toImportResult(
  { resourceUrls, terminology }: Ports,
  { catalogueId, isRecorded, catalogue, items, annotations, whiteList, changes }: ImportReport,
  { id, dryRun, language, importId }: ImportRequest & { importId: string },
  read: ReadContent
): ImportResult {
  const exists = id !== undefined || !dryRun
  return {
    dryRun,
    import: isRecorded ? importId : null,
    catalogue: exists ? resourceUrls.url(catalogueResource, catalogueId) : null,
    catalogueChange: catalogue,
    ...items,
    annotations,
    whiteList,
    changes: toImportChanges(terminology, changes, read, language),
    hiddenRows: read.hiddenRows,
    ignored: read.ignored.slice(0, MAX_IGNORED)
  }
}

export function faultyWorkbookProblem(faults: readonly CellFault[], language: Language) {
  const [first] = faults
  const where = [first?.sheet, first?.cell].filter(Boolean).join(' ')
  const count = faults.length
  const fault = first?.detail ?? ''
  const members = {
    total: count,
    faults: faults.slice(0, MAX_FAULTS).map((each) => toResponse(each, language))
  }
  return count === 1
    ? excelProblem('faulty-workbook.oneFault', null, { where, fault }, { members })
    : excelProblem('faulty-workbook.severalFaults', null, { count, where, fault }, { members })
}

/** Whether the client accepts a marked workbook instead of JSON. */
export const wantsWorkbook = ({ headers }: FastifyRequest) =>
  headers.accept?.includes(XLSX_MEDIA_TYPE) === true

/** Responds with a copy of the workbook with its faults marked and listed. */
export async function respondWithMarked(
  reply: FastifyReply,
  workbooks: Workbooks,
  file: Buffer,
  faults: readonly CellFault[],
  language: Language
): Promise<Buffer> {
  const marked = await workbooks.mark(file, toFaultList(faults, language))
  reply.request.state.problemCode = 'faulty-workbook'
  addVary(reply, 'Accept-Language')
  reply.code(422).type(XLSX_MEDIA_TYPE).header('content-disposition', 'attachment; filename="faults.xlsx"')
  return marked
}

/** The faults of a workbook with the texts of its marked copy. */
function toFaultList(faults: readonly CellFault[], language: Language): FaultList {
  const listed = faults.slice(0, MAX_FAULTS)
  const { sheetName, wholeSheet, notCopied, firstListed } = faultListTexts
  const note = fill(firstListed, { listed: listed.length, total: faults.length })
  return {
    name: sheetName[language],
    names: Object.values(sheetName),
    headers: faultListHeaders.map((header) => header[language]),
    wholeSheet: wholeSheet[language],
    notes: listed.length < faults.length ? [note[language]] : [],
    notCopied: notCopied[language],
    marks: listed.map(({ sheet, cell, column, found, detail }) => ({
      sheet,
      cell,
      column,
      found,
      message: detail[language]
    }))
  }
}
