import { type ProblemTable, problemsOf } from '../platform/errors/problem.js'

export const terminologyProblems = {
  'terminology-unavailable': [503, 'A code cannot be validated at the moment']
} as const satisfies ProblemTable

export const terminologyProblem = problemsOf(terminologyProblems)
