import { problemsOf } from '../platform/errors/problem.js'
import { eventProblems } from './texts.js'

export const eventProblem = problemsOf(eventProblems)
