import type { Language } from '../../platform/errors/language.js'
import type { FaultList } from '../../xlsx/marking/fault-sheet.js'
import type { CellFault } from './cell-faults.js'

const texts = {
  name: { en: 'Faults found', da: 'Fundne fejl' },
  headers: {
    en: ['Sheet', 'Cell', 'Column', 'What was found', 'What to do'],
    da: ['Ark', 'Celle', 'Kolonne', 'Hvad der står', 'Hvad du skal gøre']
  },
  wholeSheet: { en: 'the whole sheet', da: 'hele arket' }
} as const satisfies Record<string, Record<Language, string | readonly string[]>>

const more = {
  en: (listed: number, total: number) => `The first ${listed} of ${total} faults are listed.`,
  da: (listed: number, total: number) => `De første ${listed} af ${total} fejl er vist.`
} as const satisfies Record<Language, unknown>

/**
 * The faults of a workbook with the texts of its marked copy.
 * @param limit maximum number of listed faults.
 */
export function toFaultList(faults: readonly CellFault[], limit: number, language: Language): FaultList {
  const listed = faults.slice(0, limit)
  return {
    name: texts.name[language],
    names: Object.values(texts.name),
    headers: texts.headers[language],
    wholeSheet: texts.wholeSheet[language],
    more: listed.length < faults.length ? more[language](listed.length, faults.length) : undefined,
    marks: listed.map(({ sheet, cell, column, found, detail }) => ({
      sheet,
      cell,
      column,
      found,
      message: detail[language]
    }))
  }
}
