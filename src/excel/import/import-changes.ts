import type { ContentChange, ContentChanges } from '../../catalogue/content/describe-changes.js'
import type { Language } from '../../platform/errors/language.js'
import type { Terminology } from '../../terminology/terminology.js'
import type { ImportResult } from '../schemas.js'
import type { ReadContent } from '../sheets/reading/read-content.js'
import type { LocatedRow } from '../sheets/reading/row-fields.js'
import { type Cells, catalogueCells, itemCells } from '../sheets/writing/cells-of.js'
import { placeIdentifiers } from './identifier-columns.js'

/** Maximum number of shown characters of a text. */
const MAX_CHARACTERS = 300

/** Converts the changes of an import to a response: by sheet and row, old and new texts. */
export const toImportChanges = (
  terminology: Terminology,
  { total, rows }: ContentChanges,
  { content, rowOf }: ReadContent,
  language: Language
): ImportResult['changes'] => ({
  total,
  rows: rows.flatMap((change) => {
    const located = rowOf(change.part, change.part === 'catalogue' ? 0 : change.index)
    if (!located) return []
    const isNew = !('before' in change) || !change.before
    const [before, after] = cellsOfChange(terminology, change, content, located, language)
    const keys = [...new Set([...after.keys(), ...before.keys()])]
    return [
      {
        ...({ sheet: located.sheet.name, row: located.row.number } as const),
        ...({ change: isNew ? 'created' : 'changed' } as const),
        ...labelOf(change, located),
        columns: keys
          .filter((key) => before.get(key) !== after.get(key))
          .map((key) => ({
            column: headerOf(located, key, language),
            old: shorten(before.get(key)),
            new: shorten(after.get(key))
          }))
      }
    ]
  })
})

function labelOf(change: ContentChange, { row: { texts } }: LocatedRow) {
  const [name, identifier] =
    'after' in change
      ? [change.after.name, change.after.identifiers[0]?.value]
      : [texts.get(change.part === 'annotations' ? 'name' : 'buyer'), texts.get('item/value')]
  return { name: shorten(name), identifier: shorten(identifier) }
}

const none: Cells = new Map()

/** The cells of a row before and after an import, by the columns of its sheet. */
function cellsOfChange(
  terminology: Terminology,
  change: ContentChange,
  content: ReadContent['content'],
  { row }: LocatedRow,
  language: Language
): [before: Cells, after: Cells] {
  if (!('after' in change)) return [none, row.texts]
  if (change.part === 'catalogue') {
    const [before, after] = placeIdentifiers(change, content.catalogue, row)
    return [
      before ? catalogueCells(terminology, before, language) : none,
      catalogueCells(terminology, after, language)
    ]
  }
  const sent = content.items[change.index]
  const [before, after] = sent ? placeIdentifiers(change, sent, row) : [change.before, change.after]
  return [before ? itemCells(terminology, before, language) : none, itemCells(terminology, after, language)]
}

/** The header of a column in the workbook, or in an export if the workbook lacks the column. */
const headerOf = ({ sheet: { columns, table } }: LocatedRow, key: string, language: Language): string =>
  columns.get(key)?.header ?? table.columns.find((each) => each.key === key)?.header[language] ?? key

const shorten = (text: string | null | undefined): string | null =>
  (text?.length ?? 0) <= MAX_CHARACTERS ? (text ?? null) : `${text?.slice(0, MAX_CHARACTERS).toWellFormed()}…`
