import { type ConstraintProblems, problemsOf } from '../platform/errors/problem.js'
import { orderabilityProblems } from './orderability.texts.js'
import { catalogueProblems, sharedCatalogueProblems } from './texts.js'

export type OrderabilityCode = keyof typeof orderabilityProblems
export const orderabilityCodes = Object.keys(orderabilityProblems) as OrderabilityCode[]

export const catalogueProblem = problemsOf({ ...catalogueProblems, ...sharedCatalogueProblems })

export const catalogueConstraints: ConstraintProblems = {
  item_identifiers_pk: () => catalogueProblem('duplicate-identifier'),
  annotations_value_unique: () => catalogueProblem('duplicate-annotation'),
  white_list_entries_unique: () => catalogueProblem('duplicate-entry')
}
