import { PassThrough } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import ExcelJS from 'exceljs'
import { writeFaultSheet } from './fault-sheet.js'
import { gatherer } from './gather.js'
import type { WorkbookLimits } from './limits.js'
import { writeMarkedSheet } from './marked-sheet.js'
import type { FaultList } from './marks.js'
import { open, readCells } from './read.js'
import { sheetNames } from './sheet-names.js'

/** Cells that a workbook may have to be marked, and faults that are listed. */
const MAX_CELLS = 200_000
const MAX_FAULTS = 1_000

/**
 * Writes the copy of a workbook in which its faults are shown, from nothing but the values that are read of it. It is written
 * here, in the process that has read the rows: its memory and time are bounded, and the server's event loop stays free.
 * @throws WorkbookRefusal
 */
export async function mark(bytes: Buffer, faults: FaultList, limits: WorkbookLimits): Promise<Uint8Array> {
  const gathered = gatherer()
  await readCells(
    await open(bytes, limits),
    { ...limits, cells: Math.min(limits.cells, MAX_CELLS) },
    gathered
  )
  const sheets = gathered.workbook().sheets.filter(({ name }) => !faults.names.includes(name))
  const names = sheetNames(sheets, faults.name)
  const marks = faults.marks.slice(0, MAX_FAULTS)

  const stream = new PassThrough()
  const written = buffer(stream)
  const book = new ExcelJS.stream.xlsx.WorkbookWriter({
    ...{ stream, useStyles: true },
    // A text that a million cells share is written once.
    useSharedStrings: true,
    // Quickly rather than tightly packed: it is read once.
    zip: { zlib: { level: 1 } }
  })
  const nameOf = (sheet: string) => names[sheets.findIndex(({ name }) => name === sheet)]
  writeFaultSheet(book.addWorksheet(faults.name), { ...faults, marks }, nameOf)
  for (const [at, sheet] of sheets.entries()) {
    const state = sheet.isHidden ? 'hidden' : 'visible'
    const target = book.addWorksheet(names[at] ?? '', { state })
    // Of sheets with the same name the first one is meant.
    await writeMarkedSheet(target, sheet, nameOf(sheet.name) === names[at] ? marks : [])
  }
  await book.commit()
  return written
}
