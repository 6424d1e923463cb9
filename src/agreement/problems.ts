import { problemsOf } from '../platform/errors/problem.js'
import { agreementProblems, sharedAgreementProblems } from './texts.js'

export const agreementProblem = problemsOf({ ...agreementProblems, ...sharedAgreementProblems })
