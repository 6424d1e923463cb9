import { type ProblemTable, problemsOf } from '../platform/errors/problem.js'

export const agreementProblems = {
  'wrong-role': [422, 'A party does not have the required role'],
  'duplicate-buyer': [422, 'A contract names a buyer more than once'],
  'fixed-organization': [422, 'The organization of a party cannot change'],
  'party-in-use': [409, 'The party needs the role that it would lose'],
  'ambiguous-party': [422, 'Several parties have this name']
} as const satisfies ProblemTable

export const agreementProblem = problemsOf(agreementProblems)
