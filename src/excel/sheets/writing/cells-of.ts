import type { ExportedContent } from '../../../catalogue/content/export-catalogue.js'
import { allItemFields } from '../../../catalogue/item/item.fields.js'
import type { Language } from '../../../platform/errors/language.js'
import type { Identifier } from '../../../platform/schemas/schemas.js'
import type { Terminology } from '../../../terminology/terminology.js'
import { formatCode } from '../code-labels.js'

/** The texts of a row by column key, without empty texts. */
export type Cells = ReadonlyMap<string, string>

type Entry = [key: string, text: string | null]

export const cellsOf = (entries: readonly Entry[]): Cells =>
  new Map(entries.flatMap(([key, text]) => (text === null || text === '' ? [] : [[key, text] as const])))

export const catalogueCells = (
  terminology: Terminology,
  { name, seller, status, identifiers }: ExportedContent['catalogue'],
  language: Language
): Cells =>
  cellsOf([
    ['name', name],
    ['seller', seller],
    ['status', formatCode(terminology, 'catalogue-status', status, language)],
    ...identifierCells(identifiers)
  ])

export function itemCells(
  terminology: Terminology,
  item: ExportedContent['items'][number],
  language: Language
): Cells {
  const { name, manufacturer, model, serviceType, relatedTo } = item
  return cellsOf([
    ...identifierCells(item.identifiers),
    ['name', name],
    ['status', formatCode(terminology, 'catalogue-item-status', item.status, language)],
    ['manufacturer', manufacturer],
    ['model', model],
    ...Object.entries(allItemFields).map(([member, { column }]): Entry => [member, item[column]]),
    ['serviceType', serviceType && formatCode(terminology, 'service-type', serviceType, language)],
    ['relatedTo/system', relatedTo?.system ?? null],
    ['relatedTo/value', relatedTo?.value ?? null]
  ])
}

const identifierCells = (identifiers: readonly Identifier[]): Entry[] =>
  identifiers.flatMap(({ system, value, assigner }, at): Entry[] => [
    [`identifiers/${at}/system`, system],
    [`identifiers/${at}/value`, value],
    [`identifiers/${at}/assigner`, assigner]
  ])
