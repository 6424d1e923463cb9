import { STATUS_CODES } from 'node:http'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { Language } from '../errors/language.js'
import { problemOfPgError } from '../errors/pg-errors.js'
import { type ConstraintProblems, Problem, problem } from '../errors/problem.js'
import { joinQueryProblems } from '../errors/query-problem.js'
import { redactError } from '../errors/redact-error.js'
import { platformProblems } from '../errors/texts.js'
import { addVary, requestLanguage } from '../headers/negotiation.js'
import { validationProblem } from '../json/validation.js'
import { logLine } from '../logging/log-line.js'
import { serverProblem } from './texts.js'

declare module 'fastify' {
  interface FastifyInstance {
    /** The URL of a problem's page, without its code. */
    problemBase: string
  }
}

/** Converts every error to a response with a problem body (RFC 9457). `origin` has their pages. */
export const errorHandler = fp<{ constraints: ConstraintProblems; origin: string }>(
  async (app: FastifyInstance, { constraints, origin }) => {
    app.decorate('problemBase', `${origin}/problems/`)
    app.setErrorHandler((error: FastifyError, request, reply) => {
      // A body error has a code like those of the database driver.
      const found =
        error === request.raw.errored
          ? incompleteRequest()
          : inRequest(problemOf(error, constraints), error, request)
      log(request, found, error)
      // The client reads the response only after it has sent the body. Node discards it, until
      // `requestTimeout`. Fastify would close the connection.
      reply.removeHeader('connection')
      request.raw.unpipe().resume()
      return sendProblem(request, reply, found)
    })
  },
  { name: 'error-handler' }
)

/** The problem when the client disconnected in the middle of the body. */
export const incompleteRequest = () => serverProblem('incomplete-request')

/** The problem of a path without a route. */
export const unknownPath = ({ problemBase }: FastifyInstance) =>
  problem('not-found.path', null, { home: new URL('..', problemBase).href })

/** Converts any error to a problem, with the error as its cause. */
export function problemOf(thrown: unknown, constraints: ConstraintProblems): Problem {
  const error = thrown as FastifyError
  if (error instanceof Problem) return error
  if (error.validation) return validationProblem(error)
  return (
    problemOfPgError(error, constraints) ??
    httpProblem(error) ??
    serverProblem('internal-error', null, null, { cause: error })
  )
}

/** Completes the problem of an error of Fastify with data of the request. */
function inRequest(found: Problem, error: FastifyError, request: FastifyRequest): Problem {
  if (error.validationContext === 'body' && request.body === undefined) return noBody()
  return withFilterErrors(found, error, request)
}

/** The problem of a body over the limit of its route, in bytes. */
export const bodyTooLarge = (limit: number) => problem('payload-too-large.body', null, { max: limit })

function noBody(): Problem {
  const detail = platformProblems['invalid-body'].details.empty
  const errors = [{ pointer: '', code: 'required', detail }]
  return problem('invalid-body.empty', null, null, { errors })
}

/**
 * Adds the errors of filters to the errors of the schema of a list's query, to report all errors at
 * once.
 */
function withFilterErrors(
  found: Problem,
  { validationContext }: FastifyError,
  { query, routeOptions }: FastifyRequest
): Problem {
  const { checkQuery } = routeOptions.config
  if (validationContext !== 'querystring' || !checkQuery) return found
  const invalid = found.errors.map(({ pointer }) => pointer.split('/')[1] ?? '')
  const valid = Object.entries(query as object).filter(([name]) => !invalid.includes(name))
  try {
    checkQuery(Object.fromEntries(valid), invalid)
  } catch (other) {
    if (other instanceof Problem && other.code === 'invalid-query') return joinQueryProblems([found, other])
  }
  return found
}

/** Errors of Fastify before a handler runs. */
function httpProblem(error: FastifyError): Problem | undefined {
  switch (error.statusCode) {
    case 413:
      return problem('payload-too-large')
    case 415:
      return problem('unsupported-media-type')
    case 503:
      return problem('busy')
  }
  // Fastify's message may quote the request, so it is replaced.
  if (error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500)
    return serverProblem('bad-request.malformed', null, {
      reason: STATUS_CODES[error.statusCode] ?? 'Bad Request'
    })
  return undefined
}

export const sendProblem = (request: FastifyRequest, reply: FastifyReply, found: Problem) =>
  reply.serializer(JSON.stringify).send(toProblem(request, reply, found))

/**
 * Turns a response into that of a problem, and returns the body. Logs, traces and metrics get its
 * code.
 */
export function toProblem(request: FastifyRequest, reply: FastifyReply, found: Problem): object {
  const accepts = request.headers.accept ?? ''
  const language = requestLanguage(request)
  request.state.problemCode = found.code
  addVary(reply, 'Accept-Language')
  reply
    .code(found.status)
    .headers({ 'x-request-id': request.id, 'content-language': language, ...found.headers })
    .type(accepts.includes('application/problem+json') ? 'application/problem+json' : 'application/json')
  return problemBody(request.server, found, request.id, language)
}

/** Body of a problem (RFC 9457 with `code` and field errors). `instance` is the request id. */
export function problemBody(
  { problemBase }: FastifyInstance,
  { code, title, status, detail, members, errors }: Problem,
  requestId: string,
  language: Language = 'en'
) {
  const inLanguage = errors.map((each) => ({ ...each, detail: each.detail[language] }))
  return {
    type: `${problemBase}${code}`,
    title: title[language],
    status,
    detail: detail[language],
    instance: requestId,
    code,
    ...members,
    ...(errors.length > 0 ? { errors: inLanguage } : {})
  }
}

/** 5xx statuses of unsupported requests, which are not logged as errors. */
const UNSUPPORTED = [501, 505]

/** Logs server errors, and the reason of a rejected token, which never quotes it. */
function log(request: FastifyRequest, found: Problem, error: Error): void {
  if (found.status === 401) request.log.info(logLine(found.title.en, { reason: found.message }))
  if (found.status < 500 || UNSUPPORTED.includes(found.status)) return
  request.log.error(logLine(found.title.en, { code: found.code, cause: redactError(found.cause ?? error) }))
}
