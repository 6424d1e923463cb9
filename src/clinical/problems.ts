import { type ProblemTable, problemsOf } from '../platform/errors/problem.js'

export const clinicalProblems = {
  'no-consent': [422, 'The patient has given no consent that is in force'],
  'clinical-backend-unavailable': [503, 'The clinical backend does not answer']
} as const satisfies ProblemTable

export const clinicalProblem = problemsOf(clinicalProblems)
