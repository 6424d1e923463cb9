import { problemsOf } from '../platform/errors/problem.js'
import { eventProblems, sharedEventProblems } from './texts.js'

export const eventProblem = problemsOf({ ...eventProblems, ...sharedEventProblems })
