import ExcelJS from 'exceljs'
import type { Cell, Workbook } from './cells.js'

/*
 * What exceljs would make an object of for every cell that is concerned, which may be 17 thousand million; and pictures, which
 * nobody needs. Merged cells and drop-down lists are put back from what we read of them, which is bounded.
 */
const ignoreNodes = ['dataValidations', 'mergeCells', 'conditionalFormatting', 'drawing', 'picture', 'extLst']

/**
 * The workbook as exceljs understands it, with formats, comments and formulas.
 * @returns undefined where exceljs does not understand it as it was read
 */
export async function kept(bytes: Buffer, workbook: Workbook): Promise<ExcelJS.Workbook | undefined> {
  const book = new ExcelJS.Workbook()
  try {
    // The declared type is that of another Buffer than Node's.
    await book.xlsx.load(bytes as unknown as ArrayBuffer & Buffer, { ignoreNodes })
  } catch {
    return undefined
  }
  return holds(book, workbook) ? book : undefined
}

function holds(book: ExcelJS.Workbook, { sheets }: Workbook): boolean {
  if (book.worksheets.length !== sheets.length) return false
  return sheets.every(({ name, rows }, at) => {
    const sheet = book.worksheets[at]
    if (sheet?.name !== name) return false
    for (const row of rows) {
      const same = row.cells.every((cell) => isSame(sheet.findCell(row.number, cell.column), cell))
      if (!same) return false
    }
    return true
  })
}

/** Whether a cell is the one that was read; of formulas, dates and the like it is enough that they are there. */
function isSame(found: ExcelJS.Cell | undefined, cell: Cell): boolean {
  const value = found?.value ?? null
  if (value === null) return false
  if (typeof value === 'string') return value === cell.text
  if (typeof value === 'number') return cell.kind === 'number' && value === cell.value
  return true
}
