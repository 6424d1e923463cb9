import { type ProblemTable, problemsOf } from '../platform/errors/problem.js'

export const eventProblems = {
  'cursor-too-old': [410, 'The events after the cursor are no longer kept'],
  'subscription-stopped': [409, 'The subscription does not deliver'],
  'too-many-secrets': [409, 'Too many secrets are valid'],
  'too-many-subscriptions': [422, 'The organization has too many subscriptions'],
  'target-not-allowed': [422, 'The target is not allowed'],
  'webhooks-unavailable': [503, 'Webhooks are not configured']
} as const satisfies ProblemTable

export const eventProblem = problemsOf(eventProblems)
