import { type ProblemTable, problemsOf } from '../../platform/errors/problem.js'

export const orderProblems = {
  'illegal-transition': [409, 'The status transition is not allowed'],
  'not-your-move': [403, 'Another user type must make this change'],
  'unfulfilled-lines': [409, 'An order with an unfulfilled line cannot be fulfilled'],
  'delivered-lines': [409, 'An order with a fulfilled line cannot be rejected or cancelled'],
  'not-deletable': [409, 'Only a draft, or an open line of a draft, can be deleted'],
  'not-initial-status': [422, 'This initial status is not allowed'],
  'no-open-lines': [422, 'An order without an open line cannot be submitted'],
  'too-many-lines': [422, 'The order has the maximum number of lines'],
  'reason-not-allowed': [422, 'This change does not take a reason'],
  'awaiting-not-allowed': [422, 'The order cannot await an answer'],
  'order-not-draft': [422, 'This change requires a draft'],
  'order-closed': [422, 'The order is closed'],
  'line-not-submitted': [422, 'This change requires a submitted order line'],
  'too-many-notes': [422, 'The notes of the order exceed the limit'],
  'append-only-notes': [422, 'Existing notes of a submitted order cannot change']
} as const satisfies ProblemTable

export const orderProblem = problemsOf(orderProblems)
