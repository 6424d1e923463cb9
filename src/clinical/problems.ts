import { type ProblemTable, problemsOf } from '../platform/errors/problem.js'

export const clinicalProblems = {
  'no-consent': [422, 'No consent of the patient covers the order'],
  'clinical-backend-unavailable': [503, 'The clinical backend does not respond']
} as const satisfies ProblemTable

export const clinicalProblem = problemsOf(clinicalProblems)
