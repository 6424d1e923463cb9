import { fill, type LocalizedText } from '../../../platform/errors/language.js'
import { columnTexts } from '../../sheets.texts.js'

/** The source of a drop-down list. */
export type ListName =
  | 'catalogue-status'
  | 'catalogue-item-status'
  | 'service-type'
  | 'seller'
  | 'buyer'
  | 'annotation-name'
  | 'annotation-value'

export interface Column {
  /** The member in the column, as a JSON pointer without the first slash: `identifiers/0/value`. */
  key: string
  header: LocalizedText
  /** The comment at the header, which says what to fill in. */
  comment: LocalizedText | undefined
  /** Characters. */
  width: number
  isRequired?: boolean
  list?: ListName
  /** The text of the example row; a code stands for its display text. */
  example: string | LocalizedText
}

export interface SheetTable {
  name: LocalizedText
  /** The member of the content with the rows of the sheet. */
  member: SheetMember
  columns: readonly Column[]
}
export type SheetMember = 'catalogue' | 'devices' | 'services' | 'annotations' | 'whiteList'

/** Identifiers per row in a template. An export has more columns if an item has more. */
export const DEFAULT_IDENTIFIER_COUNT = 2

export const noteColumn: Column = { key: 'note', ...columnTexts.note, width: 14, example: '' }

/** Columns of this many identifiers. */
export const identifierColumns = (count: number, example: string): Column[] =>
  Array.from({ length: count }, (_, at): Column[] => [
    {
      key: `identifiers/${at}/system`,
      ...numbered(columnTexts.identifierSystem, at),
      width: 24,
      example: at === 0 ? 'urn:example:item-number' : ''
    },
    {
      key: `identifiers/${at}/value`,
      ...numbered(columnTexts.identifierValue, at),
      width: 18,
      example: at === 0 ? example : ''
    },
    {
      key: `identifiers/${at}/assigner`,
      ...numbered(columnTexts.identifierAssigner, at),
      width: 18,
      example: ''
    }
  ]).flat()

type IdentifierTexts = (typeof columnTexts)[`identifier${'System' | 'Value' | 'Assigner'}`]

/**
 * Only the first columns have comments: an item may have hundreds of identifiers, and comments are
 * slow to write.
 */
const numbered = ({ header, comment }: IdentifierTexts, at: number): Pick<Column, 'header' | 'comment'> => ({
  header: fill(header, { number: at + 1 }),
  comment: at < DEFAULT_IDENTIFIER_COUNT ? comment : undefined
})

export const nameColumn = (example: LocalizedText): Column => ({
  key: 'name',
  ...columnTexts.name,
  width: 32,
  isRequired: true,
  example
})

export const descriptionColumn = (example: LocalizedText): Column => ({
  key: 'description',
  ...columnTexts.description,
  width: 40,
  example
})

export const itemStatusColumn: Column = {
  key: 'status',
  ...columnTexts.itemStatus,
  width: 16,
  list: 'catalogue-item-status',
  example: 'AVAILABLE'
}
