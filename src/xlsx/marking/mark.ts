import { PassThrough } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import ExcelJS from 'exceljs'
import type { WorkbookLimits } from '../format/limits.js'
import { openWorkbook, readCells } from '../reading/read.js'
import { createWorkbookBuilder } from '../reading/workbook-builder.js'
import { writeFaultSheet } from './fault-sheet.js'
import { writeMarkedSheet } from './marked-sheet.js'
import type { FaultList } from './marks.js'
import { uniqueSheetNames } from './sheet-names.js'

/** Cells of a workbook that can be marked, and faults that are listed. */
const MAX_CELLS = 200_000
const MAX_FAULTS = 1_000

/**
 * Writes a copy of a workbook with its faults marked, only from the values that were read. It runs
 * in the child process, whose memory and time are bounded, and keeps the server's event loop free.
 * @throws WorkbookError
 */
export async function markWorkbook(
  bytes: Buffer,
  faults: FaultList,
  limits: WorkbookLimits
): Promise<Uint8Array> {
  const builder = createWorkbookBuilder()
  await readCells(
    await openWorkbook(bytes, limits),
    { ...limits, cells: Math.min(limits.cells, MAX_CELLS) },
    builder
  )
  const sheets = builder.workbook().sheets.filter(({ name }) => !faults.names.includes(name))
  const names = uniqueSheetNames(sheets, faults.name)
  const marks = faults.marks.slice(0, MAX_FAULTS)

  const stream = new PassThrough()
  const written = buffer(stream)
  const book = new ExcelJS.stream.xlsx.WorkbookWriter({
    stream,
    useStyles: true,
    // A text shared by many cells is written once.
    useSharedStrings: true,
    // Speed over size: the file is read once.
    zip: { zlib: { level: 1 } }
  })
  const nameOf = (sheet: string) => names[sheets.findIndex(({ name }) => name === sheet)]
  writeFaultSheet(book.addWorksheet(faults.name), { ...faults, marks }, nameOf)
  for (const [at, sheet] of sheets.entries()) {
    const state = sheet.isHidden ? 'hidden' : 'visible'
    const target = book.addWorksheet(names[at] ?? '', { state })
    // Among sheets of the same name, the marks belong to the first.
    await writeMarkedSheet(target, sheet, nameOf(sheet.name) === names[at] ? marks : [])
  }
  await book.commit()
  return written
}
