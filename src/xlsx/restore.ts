import type ExcelJS from 'exceljs'
import type { Layout } from './layout.js'

/** Gives a sheet the layout that it had: the widths of columns, merged cells and drop-down lists. */
export function restore(sheet: ExcelJS.Worksheet, { widths, merges, lists }: Layout): void {
  for (const { column, width } of widths) sheet.getColumn(column).width = width
  for (const range of merges)
    try {
      sheet.mergeCellsWithoutStyle(range)
    } catch {
      // It overlaps with another one, which programs repair in ways of their own.
    }
  const { dataValidations } = sheet as unknown as { dataValidations: Validations }
  for (const { ranges, formula } of lists)
    for (const range of ranges)
      dataValidations.add(range, { type: 'list', allowBlank: true, formulae: [formula] })
}

/** What exceljs has, and does not declare. */
interface Validations {
  add(range: string, validation: ExcelJS.DataValidation): void
}
