import { PassThrough } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import ExcelJS from 'exceljs'
import type { WorkbookLimits } from '../format/limits.js'
import { WorkbookError } from '../format/workbook-error.js'
import type { Workbook } from '../reading/cells.js'
import { readWorkbook } from '../reading/read.js'
import { type FaultList, writeFaultSheet } from './fault-sheet.js'
import { writeMarkedSheet } from './marked-sheet.js'

/** Maximum number of cells of a copied workbook, and of listed faults. */
const MAX_CELLS = 200_000
const MAX_FAULTS = 1_000

/**
 * Writes a copy of a workbook with its faults marked, only from the values that were read. The
 * marking runs in the child process, whose memory and time are bounded, so that the server's event
 * loop stays free. For a larger workbook it writes only the list of faults.
 * @throws WorkbookError
 */
export async function markWorkbook(
  bytes: Buffer,
  faults: FaultList,
  limits: WorkbookLimits
): Promise<Uint8Array> {
  const workbook = await readCopied(bytes, limits)
  const sheets = workbook?.sheets.filter(({ name }) => !faults.names.includes(name)) ?? []
  const names = uniqueSheetNames(sheets, faults.name)
  const marks = faults.marks.slice(0, MAX_FAULTS)

  const stream = new PassThrough()
  const written = buffer(stream)
  const book = new ExcelJS.stream.xlsx.WorkbookWriter({
    stream,
    useStyles: true,
    // A text that many cells share is written once.
    useSharedStrings: true,
    // Prefers speed to size, because the file is read only once.
    zip: { zlib: { level: 1 } }
  })
  const nameOf = (sheet: string) => names[sheets.findIndex(({ name }) => name === sheet)]
  const notes = [...faults.notes, ...(workbook ? [] : [faults.notCopied])]
  writeFaultSheet(book.addWorksheet(faults.name), { ...faults, notes, marks }, nameOf)
  for (const [at, sheet] of sheets.entries()) {
    const state = sheet.isHidden ? 'hidden' : 'visible'
    const target = book.addWorksheet(names[at] ?? '', { state })
    // Among sheets of the same name, the marks belong to the first.
    await writeMarkedSheet(target, sheet, nameOf(sheet.name) === names[at] ? marks : [])
  }
  await book.commit()
  return written
}

/** Reads a workbook for the copy; undefined for a workbook that is too large. */
async function readCopied(bytes: Buffer, limits: WorkbookLimits): Promise<Workbook | undefined> {
  const cells = Math.min(limits.cells, MAX_CELLS)
  try {
    return await readWorkbook(bytes, { ...limits, cells })
  } catch (error) {
    if (error instanceof WorkbookError && error.details.code === 'too-many-cells') return undefined
    throw error
  }
}

/**
 * Unique names for sheets that Excel accepts: at most 31 characters, none of them reserved.
 * @param taken the name of another sheet in the workbook.
 */
function uniqueSheetNames(sheets: readonly { name: string }[], taken: string): string[] {
  const used = new Set(['history', '', taken.toLowerCase()])
  return sheets.map(({ name }, at) => {
    const usable = usableName(name)
    const unique = used.has(usable.toLowerCase()) ? numbered(at + 1, used) : usable
    used.add(unique.toLowerCase())
    return unique
  })
}

const usableName = (name: string) =>
  name
    // Excel accepts an exclamation mark, but exceljs cannot link to such a sheet.
    .replace(/[*?:\\/[\]!]/g, ' ')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: XML cannot contain them
    .replace(/[\u0000-\u001f\ufffe\uffff]/g, ' ')
    .replace(/^'|'$/g, ' ')
    .slice(0, 31)
    .toWellFormed()
    .trim()

function numbered(number: number, used: ReadonlySet<string>): string {
  const name = `Sheet ${number}`
  return used.has(name.toLowerCase()) ? numbered(number + 1, used) : name
}
