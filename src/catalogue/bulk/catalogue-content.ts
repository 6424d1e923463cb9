import type { Identifier } from '../../platform/schemas/schemas.js'
import { printableText } from '../../platform/util/printable-text.js'
import type { ItemRow } from '../item/item.store.js'

/**
 * A catalogue as one whole, as those keep it who deliver: items refer to each other by their identifiers, and parties go by name or
 * by URL. Texts are as a sheet can hold them.
 */
export interface CatalogueContent {
  catalogue: { identifiers: Identifier[]; seller: string; name: string; status: string } & OmittedColumns
  items: ContentItem[]
  /** Of buyers of the caller's organization. */
  annotations: SentAnnotation[]
}

/** What nothing was said of, for a sheet has no column for it: that stays as it is. */
export interface OmittedColumns {
  untold: readonly ('description' | 'version' | 'status' | 'relatedTo')[]
  /** Identifiers for which there were columns; further ones stay. */
  identifierRoom: number
}

/** An item, its codes as in their value sets; which members it may have is a matter of its type. */
export type ContentItem = Pick<
  ItemRow,
  | 'type'
  | 'identifiers'
  | 'name'
  | 'description'
  | 'status'
  | 'manufacturer'
  | 'model'
  | 'version'
  | 'serviceType'
> & {
  /** The device model that a service is for. */
  relatedTo: ItemName | null
} & OmittedColumns

/** Names an item by one of its identifiers, by the identifier's value where the system is not told, or by its URL as the value. */
export interface ItemName {
  system: string | null
  value: string
}

export interface ContentAnnotation {
  item: ItemName
  buyer: string
  name: string
  value: { system: string; code: string }
}

/** An annotation of which something may be unreadable; that is told elsewhere, and what can be read is checked. */
export type SentAnnotation = { [K in keyof ContentAnnotation]: ContentAnnotation[K] | undefined }

/** What is there, where a sheet cannot tell it from what was sent; else what was sent. */
export const keepIfEqual = (before: string | null | undefined, sent: string | null): string | null =>
  before !== undefined && printableText(before) === printableText(sent) ? before : sent
