import { problemsOf } from '../platform/errors/problem.js'
import { sharedWebhookProblems, webhookProblems } from './texts.js'

export const webhookProblem = problemsOf({ ...webhookProblems, ...sharedWebhookProblems })
