import { type ProblemTable, problemsOf } from '../platform/errors/problem.js'

export const eventProblems = {
  'cursor-too-old': [410, 'The events after the cursor are no longer kept']
} as const satisfies ProblemTable

export const eventProblem = problemsOf(eventProblems)
