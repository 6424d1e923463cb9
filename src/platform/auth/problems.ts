import { problemsOf } from '../errors/problem.js'
import { authProblems } from './texts.js'

/** Makes the problems of tokens and access. */
export const authProblem = problemsOf(authProblems)
