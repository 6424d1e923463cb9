import { fill, type Words } from '../../../platform/errors/language.js'
import { columnTexts } from '../../sheets.texts.js'
import { type Column, DEFAULT_IDENTIFIER_COUNT } from './columns.js'

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

export const nameColumn = (example: Words): Column => ({
  key: 'name',
  ...columnTexts.name,
  width: 32,
  isRequired: true,
  example
})

export const descriptionColumn = (example: Words): Column => ({
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
