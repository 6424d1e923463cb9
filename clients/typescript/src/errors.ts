import type { FieldProblem, Problem } from './generated/types.js'

/** A response from 400 up. `code` says which rule was broken, and `errors` in which fields. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError'
  readonly status: number
  readonly code: Problem['code']
  readonly errors: readonly FieldProblem[]
  /** Id of the request, as in the log of the server. */
  readonly instance: string

  constructor(readonly problem: Problem) {
    super(`${problem.status} ${problem.code}: ${problem.detail}`)
    this.status = problem.status
    this.code = problem.code
    this.errors = problem.errors ?? []
    this.instance = problem.instance
  }
}

/** No response, or one that is not of this interface. Whether a write took effect is unknown. */
export class NoResponseError extends Error {
  override readonly name = 'NoResponseError'
}

/** The problem in a response. */
export function problemOf(body: unknown): Problem | undefined {
  const { code, status } = (body ?? {}) as Partial<Problem>
  return typeof code === 'string' && typeof status === 'number' ? (body as Problem) : undefined
}
