import type { FastifyInstance, FastifyRequest, HTTPMethods } from 'fastify'
import fp from 'fastify-plugin'
import { type Problem, problem } from '../errors/problem.js'
import { incompleteRequest } from './error-handler.js'

const ROUTED_METHODS: readonly HTTPMethods[] = [
  ...['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT', 'TRACE']
]

/** The methods that the server knows. */
export const METHODS: ReadonlySet<string> = new Set(ROUTED_METHODS)

const METHODS_WITH_BODY: ReadonlySet<string> = new Set(['DELETE', 'PATCH', 'POST', 'PUT'])

/** Maximum header names and values that Node keeps. It drops further ones. */
const MAX_RAW_HEADERS = 2000

/** RFC 3986: a registered name, IPv4 address or bracketed IPv6 address, with an optional port. */
const HOST = /^(?:[\w.~!$&'()*+,;=%-]*|\[[\da-f:.]+\])(?::\d*)?$/i

const PARAMETER = /;\s*([^\s;="]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;"]*))/g

export interface HttpRulesOptions {
  maxQueryBytes: number
  /** Whether the server answers at a host of a `Host` header. Default: at each. */
  isServedHost?: ((host: string) => boolean) | undefined
}

/**
 * Enforces rules of RFC 9110 and RFC 9112 that Node's parser leaves to the server, limits the query
 * string, and responds with 405 and `Allow` when the URL has routes for other methods only. Not in
 * the 404 handler: no response depends on the body.
 */
export const httpRules = fp<HttpRulesOptions>(
  async (app: FastifyInstance, { maxQueryBytes, isServedHost = () => true }) => {
    app.addHook('onRequest', (request, _reply, done) => {
      done(
        headProblem(request) ??
          hostProblem(request, isServedHost) ??
          urlProblem(request.raw.url ?? '', maxQueryBytes) ??
          (request.is404 ? methodProblem(app, request) : undefined)
      )
    })
    app.addHook('preParsing', (request, _reply, payload, done) => {
      // The body of a request for an unknown URL is not read.
      if (request.is404) done(problem('not-found'), payload)
      else if (hasBody(request)) {
        // Otherwise the body waits in a buffer, where tiny chunks take many times their bytes.
        if (!readsBody(request)) request.raw.resume()
        done(bodyProblem(request), payload)
      } else done(null, payload)
    })
  },
  { name: 'http-rules' }
)

const hasBody = ({ headers }: FastifyRequest): boolean =>
  headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined

/** Whether the server reads the body. Other methods, public routes and unknown URLs ignore it. */
export const readsBody = (request: FastifyRequest): boolean =>
  hasBody(request) && !request.is404 && METHODS_WITH_BODY.has(request.method) && request.call !== undefined

/** It is unknown where the next request begins. */
const closing = { headers: { connection: 'close' } }

function headProblem({ raw, headers, method }: FastifyRequest): Problem | undefined {
  const { httpVersion, rawHeaders } = raw
  if (httpVersion !== '1.1' && httpVersion !== '1.0')
    return problem('http-version-not-supported', null, null, closing)
  if (rawHeaders.length >= MAX_RAW_HEADERS) return problem('headers-too-large', null, null, closing)
  const hosts = valuesOf(rawHeaders, 'host')
  if (hosts.length > 1 || (hosts.length === 0 && httpVersion === '1.1') || !HOST.test(hosts[0] ?? ''))
    return problem('bad-request.host', null, null, closing)
  if (valuesOf(rawHeaders, 'content-type').length > 1)
    return problem('bad-request.contentType', null, null, closing)
  const coding = headers['transfer-encoding']
  if (coding !== undefined && httpVersion === '1.0')
    return problem('bad-request.transferEncoding', null, null, closing)
  if (coding !== undefined && coding.toLowerCase() !== 'chunked')
    return problem('not-implemented.transferCoding', null, null, closing)
  if (
    headers.expect !== undefined &&
    httpVersion === '1.1' &&
    headers.expect.toLowerCase() !== '100-continue'
  )
    return problem('expectation-failed', null, null, closing)
  return METHODS.has(method) ? undefined : problem('not-implemented.method')
}

/** A request without a host comes from no page. */
function hostProblem({ headers: { host } }: FastifyRequest, isServedHost: (host: string) => boolean) {
  return !host || isServedHost(host) ? undefined : problem('misdirected-request')
}

function urlProblem(url: string, maxQueryBytes: number): Problem | undefined {
  const query = url.includes('?') ? url.slice(url.indexOf('?') + 1) : ''
  if (query.length > maxQueryBytes) return problem('query-too-long.maximum', null, { max: maxQueryBytes })
  if (/%00/.test(url)) return problem('malformed-text')
  return isDecodable(query) ? undefined : problem('invalid-query.escapes')
}

function isDecodable(query: string): boolean {
  try {
    return decodeURIComponent(query) !== undefined
  } catch {
    return false
  }
}

function methodProblem(app: FastifyInstance, { url }: FastifyRequest): Problem | undefined {
  const allow = ROUTED_METHODS.filter((method) => hasRoute(app, method, url)).join(', ')
  return allow === ''
    ? undefined
    : problem('method-not-allowed.allowed', null, { methods: allow }, { headers: { allow } })
}

/** Whether a route has this method. Wildcards do not count: they match any URL. */
function hasRoute(app: FastifyInstance, method: HTTPMethods, url: string): boolean {
  const route = app.findRoute({ method, url })
  return route !== null && !('*' in route.params)
}

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

function valuesOf(rawHeaders: readonly string[], name: string): string[] {
  return rawHeaders.filter(
    (_, at) =>
      at % 2 === 1 && rawHeaders[at - 1]?.length === name.length && rawHeaders[at - 1]?.toLowerCase() === name
  )
}
