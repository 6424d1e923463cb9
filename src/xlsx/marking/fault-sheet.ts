import type ExcelJS from 'exceljs'
import { parseAddress } from '../format/address.js'
import { escapeText } from '../format/rich-text.js'

/** A fault of a cell or a sheet in the form of the marked workbook. */
export interface MarkedFault {
  sheet: string
  /** Address such as C7; null for a fault of the whole sheet. */
  cell: string | null
  /** Header of the column; null if there is none. */
  column: string | null
  /** Text of the cell; null if it is empty. */
  found: string | null
  message: string
}

/** The faults of a workbook and the texts of the sheet that lists them. */
export interface FaultList {
  /** Name of the sheet that lists the faults. */
  name: string
  /**
   * Names of this sheet in every language. Sheets with such a name, from an earlier marking, are
   * left out.
   */
  names: readonly string[]
  /** Headers for sheet, cell, column, found and message. */
  headers: readonly string[]
  /** Shown instead of a cell for a fault of a whole sheet. */
  wholeSheet: string
  /** Sentences below the list, such as the number of omitted faults. */
  notes: readonly string[]
  /** The note for a workbook that is too large to be copied. */
  notCopied: string
  marks: readonly MarkedFault[]
}

const WIDTHS = [18, 14, 24, 32, 80]
/** Maximum number of shown characters of a text. */
const MAX_CHARACTERS = 1_000

/**
 * Writes the sheet that lists all faults, each with a link to its cell.
 * @param nameOf maps the name of an uploaded sheet to its name in the marked workbook; undefined if
 *   there is none.
 */
export function writeFaultSheet(
  sheet: ExcelJS.Worksheet,
  { headers, wholeSheet, notes, marks }: FaultList,
  nameOf: (sheet: string) => string | undefined
): void {
  // Text format keeps =1+1 a text, also after the cell is edited.
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
  for (const note of notes) sheet.addRow([asText(note)]).commit()
  sheet.commit()
}

const asText = (text: string) => escapeText(text.slice(0, MAX_CHARACTERS).toWellFormed())

/** A link target such as 'Devices'!C7; undefined if there is no such sheet or cell. */
function targetOf(sheet: string | undefined, cell: string | null): string | undefined {
  if (sheet === undefined || (cell !== null && !parseAddress(cell))) return undefined
  return `'${sheet.replaceAll("'", "''")}'!${cell ?? 'A1'}`
}

/**
 * Links a cell to a target in this workbook. A hyperlink value of exceljs is a link to another
 * file, which LibreOffice and Gnumeric do not follow. Its list of links accepts internal ones, but
 * the types lack it.
 */
function addLink(sheet: ExcelJS.Worksheet, cell: ExcelJS.Cell, target: string): void {
  const { _sheetRelsWriter: links } = sheet as unknown as {
    _sheetRelsWriter: { _hyperlinks: { address: string; target: string }[] }
  }
  links._hyperlinks.push({ address: cell.address, target })
  cell.font = { color: { argb: 'FF0563C1' }, underline: true }
}
