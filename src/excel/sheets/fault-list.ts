import type { FaultList } from '../../xlsx/marks.js'
import type { CellFault } from './cell-faults.js'
import type { Language } from './columns.js'
import { danish } from './danish.js'

const words = {
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
 * The faults of a workbook as its marked copy shows them, in a language.
 * @param limit how many are listed at most
 */
export function faultListOf(faults: readonly CellFault[], limit: number, language: Language): FaultList {
  const listed = faults.slice(0, limit)
  return {
    name: words.name[language],
    names: Object.values(words.name),
    headers: words.headers[language],
    wholeSheet: words.wholeSheet[language],
    more: listed.length < faults.length ? more[language](listed.length, faults.length) : undefined,
    marks: listed.map(({ sheet, cell, column, found, code, detail }) => ({
      ...{ sheet, cell, column, found },
      message: messageOf(code, detail, language)
    }))
  }
}

/** The Danish text of a code says less than the English detail, such as which values there are: both are shown. */
function messageOf(code: string, detail: string, language: Language): string {
  const text = language === 'da' && Object.hasOwn(danish, code) ? danish[code] : undefined
  return text === undefined ? detail : `${text}\n${detail}`
}
