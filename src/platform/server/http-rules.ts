import type { FastifyInstance, FastifyRequest, HTTPMethods } from 'fastify'
import fp from 'fastify-plugin'
import { type Problem, problem } from '../errors/problem.js'
import { incompleteRequest } from './error-handler.js'

const ROUTED_METHODS: readonly HTTPMethods[] = [
  ...['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT', 'TRACE']
]

/** The methods that the server knows. */
export const METHODS: ReadonlySet<string> = new Set(ROUTED_METHODS)

/** Maximum header names and values that Node keeps. It drops further ones. */
const MAX_RAW_HEADERS = 2000

/** RFC 3986: a registered name, IPv4 address or bracketed IPv6 address, with an optional port. */
const HOST = /^(?:[\w.~!$&'()*+,;=%-]*|\[[\da-f:.]+\])(?::\d*)?$/i

const PARAMETER = /;\s*([^\s;="]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;"]*))/g

/**
 * Enforces rules of RFC 9110 and RFC 9112 that Node's parser leaves to the server, limits the query
 * string, and responds with 405 and `Allow` when the URL has routes for other methods only. Not in
 * the 404 handler: no response depends on the body.
 */
export const httpRules = fp<{ maxQueryBytes: number }>(
  async (app: FastifyInstance, { maxQueryBytes }) => {
    app.addHook('onRequest', (request, _reply, done) => {
      done(
        headProblem(request) ??
          urlProblem(request.raw.url ?? '', maxQueryBytes) ??
          (request.is404 ? methodProblem(app, request) : undefined)
      )
    })
    app.addHook('preParsing', (request, _reply, payload, done) => {
      // The body of a request for an unknown URL is not read.
      if (request.is404) done(problem('not-found'), payload)
      else if (hasBody(request)) done(bodyProblem(request), payload)
      else done(null, payload)
    })
  },
  { name: 'http-rules' }
)

export const hasBody = ({ headers }: FastifyRequest): boolean =>
  headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined

/** It is unknown where the next request begins. */
const closing = { headers: { connection: 'close' } }

function headProblem({ raw, headers, method }: FastifyRequest): Problem | undefined {
  const { httpVersion, rawHeaders } = raw
  if (httpVersion !== '1.1' && httpVersion !== '1.0')
    return problem('http-version-not-supported', undefined, closing)
  if (rawHeaders.length >= MAX_RAW_HEADERS) return problem('headers-too-large', undefined, closing)
  const hosts = valuesOf(rawHeaders, 'host')
  if (hosts.length > 1 || (hosts.length === 0 && httpVersion === '1.1') || !HOST.test(hosts[0] ?? ''))
    return problem(
      'bad-request',
      {
        en: 'Send one Host header with the name and port of the server.',
        da: 'Send én Host-header med serverens navn og port.'
      },
      closing
    )
  if (valuesOf(rawHeaders, 'content-type').length > 1)
    return problem(
      'bad-request',
      { en: 'Send one Content-Type header.', da: 'Send én Content-Type-header.' },
      closing
    )
  const coding = headers['transfer-encoding']
  if (coding !== undefined && httpVersion === '1.0')
    return problem(
      'bad-request',
      {
        en: 'HTTP/1.0 has no Transfer-Encoding. Use HTTP/1.1.',
        da: 'HTTP/1.0 har ingen Transfer-Encoding. Brug HTTP/1.1.'
      },
      closing
    )
  if (coding !== undefined && coding.toLowerCase() !== 'chunked')
    return problem(
      'not-implemented',
      { en: 'Use chunked as the only transfer coding.', da: 'Brug chunked som eneste Transfer-Encoding.' },
      closing
    )
  if (
    headers.expect !== undefined &&
    httpVersion === '1.1' &&
    headers.expect.toLowerCase() !== '100-continue'
  )
    return problem('expectation-failed', undefined, closing)
  if (!METHODS.has(method))
    return problem('not-implemented', {
      en: 'The server does not support this method.',
      da: 'Serveren understøtter ikke denne metode.'
    })
  return undefined
}

function urlProblem(url: string, maxQueryBytes: number): Problem | undefined {
  const query = url.includes('?') ? url.slice(url.indexOf('?') + 1) : ''
  if (query.length > maxQueryBytes)
    return problem('query-too-long', {
      en: `Maximum length of the query string: ${maxQueryBytes} bytes.`,
      da: `Parametrene må højst fylde ${maxQueryBytes} byte.`
    })
  if (/%00/.test(url)) return problem('malformed-text')
  if (!isDecodable(query))
    return problem('invalid-query', {
      en: 'Send valid percent escapes in the query string.',
      da: 'Send gyldige procentkoder i parametrene.'
    })
  return undefined
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
    : problem('method-not-allowed', { en: `Use ${allow}.`, da: `Brug ${allow}.` }, { headers: { allow } })
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
    return problem('unsupported-media-type', undefined, {
      headers: { 'accept-encoding': 'identity' }
    })
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
