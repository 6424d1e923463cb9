import { problemsOf } from '../../platform/errors/problem.js'
import { orderProblems, relationProblems, sharedOrderProblems } from '../texts.js'

export const orderProblem = problemsOf({ ...orderProblems, ...sharedOrderProblems, ...relationProblems })
