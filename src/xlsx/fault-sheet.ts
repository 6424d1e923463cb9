import type ExcelJS from 'exceljs'
import { placeOf } from './address.js'
import type { FaultList } from './marks.js'
import { escaped } from './rich-text.js'

const WIDTHS = [18, 14, 24, 32, 80]
/** Characters of a text that is shown. */
const MAX_CHARACTERS = 1_000

/**
 * Writes the sheet that lists all faults. Each names its sheet, and its cell as a link to it.
 * @param nameOf the name that a sheet has in the marked workbook; undefined where there is no such sheet
 */
export function writeFaultSheet(
  sheet: ExcelJS.Worksheet,
  { headers, wholeSheet, more, marks }: FaultList,
  nameOf: (sheet: string) => string | undefined
): void {
  // As text, so that =1+1 stays what it is, also when somebody edits the cell.
  sheet.columns = WIDTHS.map((width) => ({
    width,
    style: { numFmt: '@', alignment: { vertical: 'top', wrapText: true } }
  }))
  const first = sheet.getRow(1)
  first.font = { bold: true }
  first.values = [...headers]
  first.commit()
  for (const { sheet: name, cell, column, found, message } of marks) {
    const row = sheet.addRow([name, cell ?? wholeSheet, column ?? '', found ?? '', message].map(asText))
    const target = targetOf(nameOf(name), cell)
    if (target !== undefined) addLink(sheet, row.getCell(2), target)
    row.commit()
  }
  if (more !== undefined) sheet.addRow([asText(more)]).commit()
  sheet.commit()
}

const asText = (text: string) => escaped(text.slice(0, MAX_CHARACTERS).toWellFormed())

/** A place in the workbook, such as 'Devices'!C7; undefined where there is none. */
function targetOf(sheet: string | undefined, cell: string | null): string | undefined {
  if (sheet === undefined || (cell !== null && !placeOf(cell))) return undefined
  return `'${sheet.replaceAll("'", "''")}'!${cell ?? 'A1'}`
}

/**
 * Makes a cell a link within the workbook. What exceljs makes of a cell's value is a link to another file, which LibreOffice and
 * Gnumeric do not follow; its list of links takes others, but it does not declare that list.
 */
function addLink(sheet: ExcelJS.Worksheet, cell: ExcelJS.Cell, target: string): void {
  const { _sheetRelsWriter: links } = sheet as unknown as {
    _sheetRelsWriter: { _hyperlinks: { address: string; target: string }[] }
  }
  links._hyperlinks.push({ address: cell.address, target })
  cell.font = { color: { argb: 'FF0563C1' }, underline: true }
}
