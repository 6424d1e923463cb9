import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ImportReport } from '../../catalogue/bulk/import-catalogue.js'
import { catalogueKind } from '../../catalogue/resources.js'
import type { ResourceUrls } from '../../platform/rest/resource-urls.js'
import type { Workbook } from '../../xlsx/cells.js'
import type { Workbooks } from '../../xlsx/workbook.js'
import { excelProblem } from '../problems.js'
import type { ImportAnswer } from '../schemas.js'
import type { CellFault } from '../sheets/cell-faults.js'
import { xlsx } from '../sheets/write-workbook.js'
import type { ImportWishes } from './import-workbook.js'

/** Faults that are told at most. */
const mostTold = 1000

/** What is answered of a report. */
export function importResponse(
  references: ResourceUrls,
  { catalogueId, catalogue, items, annotations }: ImportReport,
  { id, isRehearsal }: ImportWishes
): ImportAnswer {
  const isThere = id !== undefined || !isRehearsal
  return {
    dryRun: isRehearsal,
    catalogue: isThere ? references.url(catalogueKind, catalogueId) : null,
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
      members: { total: faults.length, faults: faults.slice(0, mostTold) }
    }
  )
}

/** Whether a caller would rather have the workbook back, with its faulty cells marked. */
export const wantsWorkbook = ({ headers }: FastifyRequest) => headers.accept?.includes(xlsx) === true

/** Sends the workbook back with what is wrong written at its cells; what is wrong with a sheet that is not there, on the first that is. */
export async function sendMarked(
  reply: FastifyReply,
  workbooks: Workbooks,
  file: Buffer,
  faults: readonly CellFault[],
  sheets: Workbook['sheets']
): Promise<FastifyReply> {
  const names = new Set(sheets.map(({ name }) => name))
  const first = sheets.find(({ isHidden }) => !isHidden)?.name ?? ''
  const marks = faults.slice(0, mostTold).map(({ sheet, cell, column, detail }) => ({
    sheet: names.has(sheet) ? sheet : first,
    cell: cell ?? 'A1',
    text: cell === null && column !== null ? `${column}: ${detail}` : detail
  }))
  const marked = await workbooks.mark(file, marks)
  reply.problemCode = 'faulty-workbook'
  return reply
    .code(422)
    .type(xlsx)
    .header('content-disposition', 'attachment; filename="faults.xlsx"')
    .send(marked)
}
