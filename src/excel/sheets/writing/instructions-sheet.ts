import type ExcelJS from 'exceljs'
import type { Language } from '../../../platform/errors/language.js'
import { instructionHeaders, instructionSteps, instructionTexts } from '../../sheets.texts.js'
import { addTextRow } from '../cell-text.js'
import type { SheetTable } from '../columns/columns.js'

const WIDTHS = [18, 30, 14, 100]

/**
 * Writes the instructions for the workbook, and the content of each column of its sheets. Imports
 * do not read this sheet.
 */
export function addInstructions(
  sheet: ExcelJS.Worksheet,
  tables: readonly SheetTable[],
  language: Language
): void {
  sheet.columns = WIDTHS.map((width) => ({
    width,
    style: { numFmt: '@', alignment: { vertical: 'top', wrapText: true } }
  }))
  addHeading(sheet, [instructionTexts.title[language]])
  for (const [at, step] of instructionSteps.entries())
    addTextRow(sheet, [String(at + 1), undefined, undefined, step[language]])
  addHeading(
    sheet,
    instructionHeaders.map((header) => header[language])
  )
  for (const { name, columns } of tables)
    for (const { header, comment, isRequired } of columns)
      if (comment)
        addTextRow(sheet, [
          ...[name[language], header[language], isRequired ? instructionTexts.required[language] : undefined],
          comment[language]
        ])
  sheet.commit()
}

function addHeading(sheet: ExcelJS.Worksheet, texts: readonly string[]): void {
  const row = sheet.addRow([...texts])
  row.font = { bold: true }
  row.commit()
}
