import { problemsOf } from '../platform/errors/problem.js'
import { sharedTerminologyProblems, terminologyProblems } from './texts.js'

export const terminologyProblem = problemsOf({ ...terminologyProblems, ...sharedTerminologyProblems })
