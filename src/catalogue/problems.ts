import { type ConstraintProblems, type ProblemTable, problemsOf } from '../platform/errors/problem.js'

/** Reasons why an item cannot be ordered. */
const orderability = {
  'no-contract': [422, 'Buyer and seller have no contract in force'],
  'foreign-item': [422, 'The item has another seller'],
  'catalogue-not-active': [422, 'The catalogue of the item is not active'],
  'item-not-available': [422, 'The item is not available'],
  'not-white-listed': [422, 'The item is not on the white list of the buyer'],
  'black-listed': [422, 'The item is on the black list of the patient']
} as const satisfies ProblemTable
export type OrderabilityCode = keyof typeof orderability
export const orderabilityCodes = Object.keys(orderability) as OrderabilityCode[]

export const catalogueProblems = {
  ...orderability,
  'unrelated-item': [422, 'A service can only relate to a device model of its seller'],
  'fixed-type': [422, 'The type of a catalogue item cannot change'],
  'fixed-seller': [422, 'The seller cannot change'],
  'duplicate-identifier': [409, 'Another item of the catalogue has this identifier'],
  'duplicate-annotation': [409, 'The item has this annotation already'],
  'duplicate-entry': [409, 'The list has this entry already'],
  'identifier-required': [422, 'An item needs an identifier'],
  'ambiguous-identifiers': [422, 'The identifiers belong to different items'],
  'text-required': [422, 'A text is required'],
  'catalogue-exists': [409, 'The seller already has this catalogue'],
  'other-catalogue': [409, 'Another catalogue may be meant'],
  'import-not-undoable': [409, 'The import cannot be undone'],
  'catalogue-changed': [409, 'The catalogue changed since the import']
} as const satisfies ProblemTable

export const catalogueProblem = problemsOf(catalogueProblems)

export const catalogueConstraints: ConstraintProblems = {
  item_identifiers_pk: () =>
    catalogueProblem(
      'duplicate-identifier',
      'An identifier (system and value) must be unique within a catalogue.'
    ),
  annotations_value_unique: () =>
    catalogueProblem(
      'duplicate-annotation',
      'The buyer has already annotated this item with the same name and value.'
    ),
  white_list_entries_unique: () =>
    catalogueProblem('duplicate-entry', 'The item is already on the white list of this buyer.')
}
