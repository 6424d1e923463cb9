import { STATUS_CODES } from 'node:http'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { problemOfPgError } from '../errors/pg-errors.js'
import { type ConstraintProblems, Problem, problem } from '../errors/problem.js'
import { redactError } from '../errors/redact-error.js'
import { validationProblem } from '../json/validation.js'
import { logLine } from '../logging/log-line.js'

declare module 'fastify' {
  interface FastifyReply {
    /** Code of the problem that is answered; null for a success. */
    problemCode: string | null
  }
}

/** Translates every error into an answer with a body after RFC 9457, in one place. */
export const errorHandler = fp<{ constraints: ConstraintProblems }>(
  async (app: FastifyInstance, { constraints }) => {
    app.decorateReply('problemCode', null)
    app.setErrorHandler((error: FastifyError, request, reply) => {
      // The body's own error has a code like one of the database driver's.
      const answer = error === request.raw.errored ? incompleteRequest() : problemOf(error, constraints)
      log(request, answer, error)
      return sendProblem(request, reply, answer)
    })
    app.setNotFoundHandler((request, reply) =>
      sendProblem(request, reply, problem('not-found', 'No resource has this address.'))
    )
  },
  { name: 'error-handler' }
)

/** A request whose client went away, or ended its side, in the middle of the body. */
export const incompleteRequest = () => problem('incomplete-request', 'Send the whole request.')

/** Any error as the problem that is answered; the error itself is its cause, for the log. */
export function problemOf(thrown: unknown, constraints: ConstraintProblems): Problem {
  const error = thrown as FastifyError
  if (error instanceof Problem) return error
  if (error.validation) return validationProblem(error)
  return (
    problemOfPgError(error, constraints) ??
    httpProblem(error) ??
    problem('internal-error', 'The fault is ours. It is in the log under this request id.', { cause: error })
  )
}

/** Faults that Fastify itself finds before a handler runs. */
function httpProblem(error: FastifyError): Problem | undefined {
  switch (error.statusCode) {
    case 413:
      return problem('payload-too-large', 'Send a smaller body.')
    case 415:
      return problem('unsupported-media-type', 'Send the body as application/json.')
    case 503:
      return problem('busy', 'Try again in a moment.', { headers: { 'retry-after': '5' } })
  }
  // A message of Fastify may quote the request, so it is replaced.
  if (error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500)
    return problem(
      'bad-request',
      `${STATUS_CODES[error.statusCode] ?? 'Bad Request'}: the request is malformed.`
    )
  return undefined
}

/** Answers with a problem: `application/problem+json` to who accepts it, else `application/json`. */
export function sendProblem(request: FastifyRequest, reply: FastifyReply, found: Problem) {
  const accepts = request.headers.accept ?? ''
  reply.problemCode = found.code
  return reply
    .code(found.status)
    .headers({ 'x-request-id': request.id, ...found.headers })
    .type(accepts.includes('application/problem+json') ? 'application/problem+json' : 'application/json')
    .serializer(JSON.stringify)
    .send(problemBody(found, request.id))
}

/** The body of a problem's answer (RFC 9457, with `code` and the field faults); `instance` is the request id. */
export function problemBody(found: Problem, requestId: string) {
  return {
    type: `urn:problem:${found.code}`,
    title: found.title,
    status: found.status,
    detail: found.message,
    instance: requestId,
    code: found.code,
    ...found.members,
    ...(found.errors.length > 0 ? { errors: found.errors } : {})
  }
}

/** 5xx statuses of requests that the server is not made for. */
const UNSUPPORTED = [501, 505]

function log(request: FastifyRequest, answer: Problem, error: Error): void {
  if (answer.status < 500 || UNSUPPORTED.includes(answer.status)) return
  request.log.error(logLine(answer.title, { code: answer.code, cause: redactError(answer.cause ?? error) }))
}
