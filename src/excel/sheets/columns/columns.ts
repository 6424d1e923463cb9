import type { Words } from '../../../platform/errors/language.js'

/** The source of a drop-down list. */
export type ListName =
  | 'catalogue-status'
  | 'catalogue-item-status'
  | 'service-type'
  | 'seller'
  | 'buyer'
  | 'annotation-name'
  | 'annotation-value'

/** A column of a sheet. */
export interface Column {
  /** The member that it holds, as a JSON pointer without the first slash: `identifiers/0/value`. */
  key: string
  header: Words
  /** Says what to fill in; a comment at the header. */
  comment: Words | undefined
  /** Characters. */
  width: number
  isRequired?: boolean
  list?: ListName
  /** The text of the example row; a code stands for its display text. */
  example: string | Words
}

/** The name and columns of a sheet. */
export interface SheetTable {
  name: Words
  /** The member of the content that its rows hold. */
  member: SheetMember
  columns: readonly Column[]
}
export type SheetMember = 'catalogue' | 'devices' | 'services' | 'annotations' | 'whiteList'

/** Identifiers per row in a template. An export has more columns if an item has more. */
export const DEFAULT_IDENTIFIER_COUNT = 2
