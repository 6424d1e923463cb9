import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ImportReport } from '../../catalogue/bulk/import-catalogue.js'
import { catalogueKind } from '../../catalogue/resources.js'
import type { ResourceUrls } from '../../platform/rest/resource-urls.js'
import type { Workbooks } from '../../xlsx/workbook.js'
import { excelProblem } from '../problems.js'
import type { ImportAnswer } from '../schemas.js'
import type { CellFault } from '../sheets/cell-faults.js'
import type { Language } from '../sheets/columns.js'
import { faultListOf } from '../sheets/fault-list.js'
import { xlsx } from '../sheets/write-workbook.js'
import type { ImportRequest } from './import-workbook.js'

/** Faults that a response tells at most. */
const MAX_FAULTS = 1000

/** What is answered of a report. */
export function importResponse(
  resourceUrls: ResourceUrls,
  { catalogueId, catalogue, items, annotations }: ImportReport,
  { id, dryRun }: ImportRequest
): ImportAnswer {
  const isThere = id !== undefined || !dryRun
  return {
    dryRun,
    catalogue: isThere ? resourceUrls.url(catalogueKind, catalogueId) : null,
    catalogueChange: catalogue,
    ...items,
    annotations
  }
}

/** The problem of a workbook with faults: all of them, or the first thousand, and how many there are. */
export function faultyWorkbook(faults: readonly CellFault[]) {
  const [first] = faults
  const where = [first?.sheet, first?.cell].filter(Boolean).join(' ')
  return excelProblem(
    'faulty-workbook',
    `Nothing was written. ${faults.length} ${faults.length === 1 ? 'fault' : 'faults; the first'}, at ${where}: ${first?.detail}`,
    {
      members: { total: faults.length, faults: faults.slice(0, MAX_FAULTS) }
    }
  )
}

/** Whether a caller would rather have the workbook back, with its faulty cells marked. */
export const wantsWorkbook = ({ headers }: FastifyRequest) => headers.accept?.includes(xlsx) === true

/** Sends a copy of the workbook in which its faults are marked and listed. */
export async function sendMarked(
  reply: FastifyReply,
  workbooks: Workbooks,
  file: Buffer,
  faults: readonly CellFault[],
  language: Language
): Promise<FastifyReply> {
  const marked = await workbooks.mark(file, faultListOf(faults, MAX_FAULTS, language))
  reply.problemCode = 'faulty-workbook'
  return reply
    .code(422)
    .type(xlsx)
    .header('content-disposition', 'attachment; filename="faults.xlsx"')
    .header('vary', 'accept-language')
    .send(marked)
}
