import type ExcelJS from 'exceljs'
import type { Language } from '../../../platform/errors/language.js'
import { annotationValueHeaders, listHeaders } from '../../sheets.texts.js'
import { addTextRow } from '../cell-text.js'
import type { ListName } from '../columns/columns.js'
import type { DropdownLists } from './dropdown-lists.js'

/** Writes the sheet Codes: a column per list, then the values of each annotation name. */
export function addCodes(
  sheet: ExcelJS.Worksheet,
  { options, values }: DropdownLists,
  language: Language
): void {
  const lists = Object.values(options)
  const gap = lists.length + 1
  sheet.columns = Array.from({ length: gap + 3 }, () => ({ width: 26, style: { numFmt: '@' } }))
  const headers = sheet.getRow(1)
  headers.font = { bold: true }
  headers.values = [
    ...(Object.keys(options) as ListName[]).map((list) => listHeaders[list][language]),
    '',
    ...(values.length > 0 ? annotationValueHeaders.map((header) => header[language]) : [])
  ]
  headers.commit()
  const rows = Math.max(values.length, ...lists.map((entries) => entries.length))
  for (let at = 0; at < rows; at++) {
    const { name, label, systemAndCode } = values[at] ?? {}
    addTextRow(sheet, [...lists.map((entries) => entries[at]), undefined, name, label, systemAndCode])
  }
  sheet.commit()
}
