import type { Words } from '../../../platform/errors/language.js'
import { type Column, DEFAULT_IDENTIFIER_COUNT } from './columns.js'

export const noteColumn: Column = {
  key: 'note',
  header: { en: 'Note', da: 'Bemærkning' },
  comment: {
    en: 'For your own use; not imported. A row that says EXAMPLE here is skipped.',
    da: 'Til dig selv: den bliver ikke indlæst. En række, hvor der står EKSEMPEL, springes over.'
  },
  width: 14,
  example: ''
}

/**
 * Columns of this many identifiers. Only the first ones have comments: an item may have hundreds of
 * identifiers, and comments are slow to write.
 */
export const identifierColumns = (count: number, example: string): Column[] =>
  Array.from({ length: count }, (_, at): Column[] => [
    {
      key: `identifiers/${at}/system`,
      header: { en: `Identifier system ${at + 1}`, da: `Identifikatorsystem ${at + 1}` },
      comment: commentAt(at, {
        en: 'The issuer of the identifier, as a URI; for instance urn:gtin, or the address of your own item list. May be empty for an item: it is then that of the catalogue’s first identifier.',
        da: 'Hvem der udsteder identifikatoren, som en URI; fx urn:gtin eller adressen på jeres egen vareliste. Kan være tom for en vare: så er det den samme som for katalogets første identifikator.'
      }),
      width: 24,
      example: at === 0 ? 'urn:example:item-number' : ''
    },
    {
      key: `identifiers/${at}/value`,
      header: { en: `Identifier ${at + 1}`, da: `Identifikator ${at + 1}` },
      comment: commentAt(at, {
        en: 'The identifier itself, such as your item number. Rows are matched by it when a catalogue is updated.',
        da: 'Selve identifikatoren, fx jeres varenummer. Rækker findes igen ved den, når et katalog opdateres.'
      }),
      width: 18,
      example: at === 0 ? example : ''
    },
    {
      key: `identifiers/${at}/assigner`,
      header: { en: `Identifier assigner ${at + 1}`, da: `Identifikator tildelt af ${at + 1}` },
      comment: commentAt(at, {
        en: 'The organization that assigned the identifier, if relevant.',
        da: 'Den organisation, der har tildelt identifikatoren, hvis det har interesse.'
      }),
      width: 18,
      example: ''
    }
  ]).flat()

const commentAt = (at: number, comment: Words) => (at < DEFAULT_IDENTIFIER_COUNT ? comment : undefined)

export const nameColumn = (example: Words): Column => ({
  key: 'name',
  header: { en: 'Name', da: 'Navn' },
  comment: { en: 'The name.', da: 'Hvad den hedder.' },
  width: 32,
  isRequired: true,
  example
})

export const descriptionColumn = (example: Words): Column => ({
  key: 'description',
  header: { en: 'Description', da: 'Beskrivelse' },
  comment: { en: 'Information for those who order.', da: 'Hvad de, der bestiller, bør vide.' },
  width: 40,
  example
})

export const itemStatusColumn: Column = {
  key: 'status',
  header: { en: 'Status', da: 'Status' },
  comment: {
    en: 'Choose from the list. Empty: it can be ordered.',
    da: 'Vælges fra listen. Tom: den kan bestilles.'
  },
  width: 16,
  list: 'catalogue-item-status',
  example: 'AVAILABLE'
}
