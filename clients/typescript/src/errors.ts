import type { FieldProblem, Problem } from './generated/types.js'

/**
 * A response with a status from 400. `code` says which rule was broken, and `errors` in which
 * fields.
 */
export class ProblemError extends Error {
  override readonly name = 'ProblemError'
  readonly status: number
  readonly code: Problem['code']
  readonly errors: readonly FieldProblem[]
  /** Id of the request, as in the log of the server. */
  readonly instance: string

  /** @param retryAfterMs milliseconds of the header `Retry-After`. */
  constructor(
    readonly problem: Problem,
    readonly retryAfterMs?: number
  ) {
    super(`${problem.status} ${problem.code}: ${problem.detail}`)
    this.status = problem.status
    this.code = problem.code
    this.errors = problem.errors ?? []
    this.instance = problem.instance
  }
}

/** No response, or a response that is not of this API. Whether a write took effect is unknown. */
export class NoResponseError extends Error {
  override readonly name = 'NoResponseError'
  /** Status of a response that is not of this API, such as a response of a proxy. */
  readonly status: number | undefined
  /** Milliseconds of the header `Retry-After`. */
  readonly retryAfterMs: number | undefined

  constructor(
    message: string,
    {
      cause,
      status,
      retryAfterMs
    }: { cause?: unknown; status?: number; retryAfterMs?: number | undefined } = {}
  ) {
    super(message, { cause })
    this.status = status
    this.retryAfterMs = retryAfterMs
  }
}

/** The problem in a response. */
export function problemOf(body: unknown): Problem | undefined {
  const { code, status } = (body ?? {}) as Partial<Problem>
  return typeof code === 'string' && typeof status === 'number' ? (body as Problem) : undefined
}
