import { newId, type UnitOfWork } from '../../db/unit-of-work.js'
import type { FieldErrors } from '../../platform/errors/field-errors.js'
import { withoutControlCharacters } from '../../platform/text/without-control-characters.js'
import { relatesToOtherCatalogues } from '../catalogues/catalogue.store.js'
import { catalogueProblem } from '../problems.js'
import type { CatalogueRow } from '../tables.js'
import { type CatalogueContent, preferStoredText } from './catalogue-content.js'
import { keepHiddenIdentifiers, mergeIdentifiers, validateIdentifiers } from './merge-identifiers.js'

/** The seller id of a catalogue whose seller is unknown, which is an error. */
export const UNKNOWN_SELLER = ''

/** Validates the catalogue itself, as it will be after the import. */
export async function validateCatalogue(
  { tx }: UnitOfWork,
  errors: FieldErrors,
  { catalogue: { name, identifiers } }: CatalogueContent,
  before: CatalogueRow | undefined,
  after: CatalogueRow
): Promise<void> {
  if (withoutControlCharacters(name) === '' && (!before || withoutControlCharacters(before.name) !== ''))
    errors.add(catalogueProblem('text-required.ofRow', '/catalogue/name'))
  validateIdentifiers(errors, before?.identifiers, identifiers, '/catalogue')
  if (before && before.sellerId !== after.sellerId && (await relatesToOtherCatalogues(tx, before.id)))
    errors.add(catalogueProblem('fixed-seller.relatedItems', '/catalogue/seller'))
}

/** The catalogue as it will be after the import. */
export function mergeCatalogue(
  { at }: UnitOfWork,
  { catalogue: { identifiers, name, status, omitted, identifierColumnCount } }: CatalogueContent,
  before: CatalogueRow | undefined,
  sellerId = UNKNOWN_SELLER
): CatalogueRow {
  return {
    id: before?.id ?? newId(),
    identifiers: mergeIdentifiers(
      before?.identifiers,
      keepHiddenIdentifiers(before?.identifiers ?? [], identifiers, identifierColumnCount)
    ),
    sellerId,
    name: preferStoredText(before?.name, name) ?? '',
    status: (omitted.includes('status') ? before?.status : undefined) ?? status,
    eventCount: before?.eventCount ?? 0,
    createdAt: before?.createdAt ?? at
  }
}
