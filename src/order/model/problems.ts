import { type ProblemTable, problemsOf } from '../../platform/errors/problem.js'

export const orderProblems = {
  'illegal-transition': [409, 'The status cannot change like this'],
  'not-your-move': [403, 'Another actor makes this change'],
  'unfulfilled-lines': [409, 'An order with an unfulfilled line cannot be fulfilled'],
  'delivered-lines': [409, 'An order with a fulfilled line cannot be rejected or cancelled'],
  'not-deletable': [409, 'Only a draft, or an open line of one, can be deleted'],
  'not-initial-status': [422, 'Nothing begins with this status'],
  'no-open-lines': [422, 'An order without an open line cannot be submitted'],
  'too-many-lines': [422, 'The order has as many lines as it can have'],
  'order-not-draft': [422, 'Only a draft can be changed like this'],
  'order-closed': [422, 'Nothing happens to this order any more'],
  'too-many-notes': [422, 'The notes of the order are as much as they can be'],
  'append-only-notes': [422, 'Notes of a submitted order can only be added to']
} as const satisfies ProblemTable

export const orderProblem = problemsOf(orderProblems)
