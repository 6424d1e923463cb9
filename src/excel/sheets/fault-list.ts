import { fill, type Language } from '../../platform/errors/language.js'
import type { FaultList } from '../../xlsx/marking/fault-sheet.js'
import { faultListHeaders, faultListTexts } from '../faults.texts.js'
import type { CellFault } from './cell-faults.js'

/**
 * The faults of a workbook with the texts of its marked copy.
 * @param limit maximum number of listed faults.
 */
export function toFaultList(faults: readonly CellFault[], limit: number, language: Language): FaultList {
  const listed = faults.slice(0, limit)
  const { sheetName, wholeSheet, notCopied, firstListed } = faultListTexts
  const note = fill(firstListed, { listed: listed.length, total: faults.length })
  return {
    name: sheetName[language],
    names: Object.values(sheetName),
    headers: faultListHeaders.map((header) => header[language]),
    wholeSheet: wholeSheet[language],
    notes: listed.length < faults.length ? [note[language]] : [],
    notCopied: notCopied[language],
    marks: listed.map(({ sheet, cell, column, found, detail }) => ({
      sheet,
      cell,
      column,
      found,
      message: detail[language]
    }))
  }
}
