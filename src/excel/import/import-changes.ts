import type { ContentChange, ContentChanges } from '../../catalogue/content/describe-changes.js'
import type { Language } from '../../platform/errors/language.js'
import type { Terminology } from '../../terminology/terminology.js'
import type { ImportResult } from '../schemas.js'
import type { LocateCell } from '../sheets/cell-faults.js'
import { catalogueCells, itemCells } from '../sheets/writing/cells-of.js'

type ChangedRow = ImportResult['changes']['rows'][number]
type ChangedCell = ChangedRow['columns'][number]

/** Characters shown of a text. */
const MAX_CHARACTERS = 300

/** Converts the changes of an import to a response: by sheet and row, old and new texts. */
export const toImportChanges = (
  terminology: Terminology,
  { total, rows }: ContentChanges,
  locate: LocateCell,
  language: Language
): ImportResult['changes'] => ({
  total,
  rows: rows.flatMap((change) => {
    const pointer = change.part === 'catalogue' ? '/catalogue' : `/${change.part}/${change.index}`
    const at = locate(change.part === 'whiteList' ? `${pointer}/buyer` : `${pointer}/name`)
    if (!at) return []
    const isNew = !('before' in change) || !change.before
    return [
      {
        ...({ sheet: at.sheet, row: at.row, change: isNew ? 'created' : 'changed' } as const),
        ...labelOf(change, locate, pointer),
        columns: changedCells(terminology, change, (key) => locate(`${pointer}/${key}`), language)
      }
    ]
  })
})

/** The name of a row and its first identifier. */
function labelOf(change: ContentChange, locate: LocateCell, pointer: string) {
  const foundAt = (key: string) => shorten(locate(`${pointer}/${key}`)?.found ?? null)
  if (!('after' in change))
    return {
      name: foundAt(change.part === 'annotations' ? 'name' : 'buyer'),
      identifier: foundAt('item/value')
    }
  const { name, identifiers } = change.after
  return { name: shorten(name), identifier: shorten(identifiers[0]?.value ?? null) }
}

const KEYS = {
  annotations: ['item/system', 'item/value', 'buyer', 'name', 'value'],
  whiteList: ['item/system', 'item/value', 'buyer']
}

type LocateKey = (key: string) => ReturnType<LocateCell>

function changedCells(
  terminology: Terminology,
  change: ContentChange,
  locate: LocateKey,
  language: Language
): ChangedCell[] {
  if (!('after' in change))
    return KEYS[change.part].flatMap((key) => cellOf(key, null, locate(key)?.found ?? null, locate))
  const [before, after] =
    change.part === 'catalogue'
      ? [
          change.before && catalogueCells(terminology, change.before, language),
          catalogueCells(terminology, change.after, language)
        ]
      : [
          change.before && itemCells(terminology, change.before, language),
          itemCells(terminology, change.after, language)
        ]
  const keys = new Set([...after.keys(), ...(before?.keys() ?? [])])
  return [...keys].flatMap((key) => cellOf(key, before?.get(key) ?? null, after.get(key) ?? null, locate))
}

/** A changed cell, under the header that the workbook has for it. */
const cellOf = (key: string, was: string | null, is: string | null, locate: LocateKey): ChangedCell[] =>
  was === is ? [] : [{ column: locate(key)?.header ?? key, old: shorten(was), new: shorten(is) }]

const shorten = (text: string | null): string | null =>
  text === null || text.length <= MAX_CHARACTERS ? text : `${text.slice(0, MAX_CHARACTERS).toWellFormed()}…`
