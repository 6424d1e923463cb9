import { type ProblemTable, problemsOf } from '../platform/errors/problem.js'

export const terminologyProblems = {
  'terminology-unavailable': [
    503,
    { en: 'A code cannot be validated at the moment', da: 'En kode kan ikke kontrolleres lige nu' },
    { en: 'Try again later.', da: 'Prøv igen senere.' }
  ]
} as const satisfies ProblemTable

export const terminologyProblem = problemsOf(terminologyProblems)
