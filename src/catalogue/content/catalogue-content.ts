import type { Identifier } from '../../platform/schemas/schemas.js'
import { withoutControlCharacters } from '../../platform/text/without-control-characters.js'
import type { ItemField, ItemFieldColumn } from '../item/item.fields.js'
import type { ItemRow } from '../tables.js'

/**
 * A whole catalogue as sellers maintain it: items refer to each other by identifiers, and to
 * parties by name or URL. Texts are in the form that a sheet can hold.
 */
export interface CatalogueContent {
  catalogue: { identifiers: Identifier[]; seller: string; name: string; status: string } & OmittedColumns
  items: ContentItem[]
  /** By buyers of the caller's organization. */
  annotations: PartialAnnotation[]
  /** Likewise. */
  whiteList: PartialWhiteListEntry[]
}

/** Members without a column in a sheet, which keep their values. */
export interface OmittedColumns {
  omitted: readonly (ItemField | 'status' | 'relatedTo')[]
  /** Number of identifiers for which the sheet has columns. Further stored identifiers are kept. */
  identifierColumnCount: number
}

/** An item, with codes of the value sets. Its type decides which members it may have. */
export type ContentItem = Pick<
  ItemRow,
  'type' | 'identifiers' | 'name' | 'status' | 'manufacturer' | 'model' | 'serviceType' | ItemFieldColumn
> & {
  /** The device model that a service is for. */
  relatedTo: ItemReference | null
} & OmittedColumns

/**
 * Refers to an item by an identifier, by the value of an identifier (system null), or by its URL
 * (as the value).
 */
export interface ItemReference {
  system: string | null
  value: string
}

export interface ContentAnnotation {
  item: ItemReference
  buyer: string
  name: string
  value: { system: string; code: string }
}

/**
 * An annotation that may have unreadable members. Unreadable members are reported elsewhere; the
 * other members are still validated.
 */
export type PartialAnnotation = { [K in keyof ContentAnnotation]: ContentAnnotation[K] | undefined }

/** An item that a buyer allows to be ordered. Unreadable members are undefined. */
export interface PartialWhiteListEntry {
  item: ItemReference | undefined
  buyer: string | undefined
}

/** The stored text if it looks like the sent text in a sheet, otherwise the sent text. */
export const preferStoredText = (before: string | null | undefined, sent: string | null): string | null =>
  before !== undefined && withoutControlCharacters(before) === withoutControlCharacters(sent) ? before : sent
