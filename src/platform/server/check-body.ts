import type { FastifyRequest, preParsingHookHandler } from 'fastify'
import { type Problem, problem } from '../errors/problem.js'
import { incompleteRequest } from './error-handler.js'

const METHODS_WITH_BODY: ReadonlySet<string> = new Set(['DELETE', 'PATCH', 'POST', 'PUT'])

const PARAMETER = /;\s*([^\s;="]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;"]*))/g

/** Rejects a body that the server cannot read, and discards a body that no route reads. */
export const checkBody = (): preParsingHookHandler => (request, _reply, payload, done) => {
  // The body of a request for an unknown URL is not read.
  if (request.is404) done(problem('not-found'), payload)
  else if (hasBody(request)) {
    // Otherwise the body waits in a buffer, where tiny chunks take many times their bytes.
    if (!readsBody(request)) request.raw.resume()
    done(bodyProblem(request), payload)
  } else done(null, payload)
}

const hasBody = ({ headers }: FastifyRequest): boolean =>
  headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined

/** Whether the server reads the body. Other methods, public routes and unknown URLs ignore it. */
export const readsBody = (request: FastifyRequest): boolean =>
  hasBody(request) &&
  !request.is404 &&
  METHODS_WITH_BODY.has(request.method) &&
  request.state.call !== undefined

function bodyProblem({ headers, raw }: FastifyRequest): Problem | null {
  // No event tells a reader of the body any more.
  if (raw.destroyed && !raw.complete) return incompleteRequest()
  const codings = (headers['content-encoding'] ?? '').split(',').map((each) => each.trim().toLowerCase())
  if (codings.some((each) => each !== '' && each !== 'identity'))
    return problem('unsupported-media-type', null, null, { headers: { 'accept-encoding': 'identity' } })
  const charsets = charsetsOf(headers['content-type'] ?? '')
  if (charsets.some((each) => each !== 'utf-8' && each !== 'utf8')) return problem('unsupported-media-type')
  return null
}

/** The charset parameters of a media type, in lower case and without quotes. */
function charsetsOf(mediaType: string): string[] {
  return [...mediaType.matchAll(PARAMETER)]
    .filter(([, name]) => name?.toLowerCase() === 'charset')
    .map(([, , quoted, plain = '']) => (quoted?.replace(/\\(.)/g, '$1') ?? plain).trim().toLowerCase())
}
