import { type Problem, problemsOf } from '../platform/errors/problem.js'
import type { ClinicalType } from './reference.js'
import { clinicalProblems, sharedClinicalProblems } from './texts.js'

export const clinicalProblem = problemsOf({ ...clinicalProblems, ...sharedClinicalProblems })

/** The problem of an unusable reference: the same for every reason, so that it discloses none. */
export const invalidClinicalReference = (type: ClinicalType, pointer: string): Problem =>
  clinicalProblem('dangling-reference.clinical', pointer, { type })
