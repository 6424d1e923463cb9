import type ExcelJS from 'exceljs'
import type { Language } from '../../../platform/errors/language.js'
import type { ListName } from '../columns/columns.js'
import { addTextRow } from './add-text-row.js'
import type { DropdownLists } from './dropdown-lists.js'

const LIST_HEADERS: Readonly<Record<ListName, Record<Language, string>>> = {
  'catalogue-status': { en: 'Catalogue status', da: 'Katalogstatus' },
  'catalogue-item-status': { en: 'Item status', da: 'Varestatus' },
  'service-type': { en: 'Service type', da: 'Ydelsestype' },
  seller: { en: 'Seller', da: 'Leverandør' },
  buyer: { en: 'Buyer', da: 'Køber' },
  'annotation-name': { en: 'Annotation', da: 'Annotering' },
  'annotation-value': { en: 'Value', da: 'Værdi' }
}
const VALUE_HEADERS: Readonly<Record<Language, readonly string[]>> = {
  en: ['Values of an annotation', 'Value', 'system|code'],
  da: ['Værdier af en annotering', 'Værdi', 'system|kode']
}

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
    ...(Object.keys(options) as ListName[]).map((list) => LIST_HEADERS[list][language]),
    '',
    ...(values.length > 0 ? VALUE_HEADERS[language] : [])
  ]
  headers.commit()
  const rows = Math.max(values.length, ...lists.map((entries) => entries.length))
  for (let at = 0; at < rows; at++) {
    const { name, label, systemAndCode } = values[at] ?? {}
    addTextRow(sheet, [...lists.map((entries) => entries[at]), undefined, name, label, systemAndCode])
  }
  sheet.commit()
}
