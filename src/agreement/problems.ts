import { type ProblemTable, problemsOf } from '../platform/errors/problem.js'

export const agreementProblems = {
  'wrong-role': [422, 'A party does not have the role that is needed'],
  'invalid-period': [422, 'A period is not made of two calendar dates in order'],
  'duplicate-buyer': [422, 'A contract names a buyer twice'],
  'fixed-organization': [422, 'The organization of a party never changes'],
  'ambiguous-party': [422, 'Several parties go by this name']
} as const satisfies ProblemTable

export const agreementProblem = problemsOf(agreementProblems)
