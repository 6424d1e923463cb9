import { isIP } from 'node:net'
import type { FastifyInstance, FastifyRequest, HTTPMethods, onRequestHookHandler } from 'fastify'
import { type Problem, problem } from '../errors/problem.js'
import { isLoopback } from '../urls/addressing.js'
import { serverProblem } from './texts.js'

const ROUTED_METHODS: readonly HTTPMethods[] = [
  ...['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT', 'TRACE']
]

export const METHODS: ReadonlySet<string> = new Set(ROUTED_METHODS)

/** Maximum header names and values that Node stores. Node drops further headers. */
const MAX_RAW_HEADERS = 2000

/** RFC 3986: a registered name, IPv4 address or bracketed IPv6 address, with an optional port. */
const HOST = /^(?:[\w.~!$&'()*+,;=%-]*|\[[\da-f:.]+\])(?::\d*)?$/i

interface HeadRules {
  limits: { query: number }
  /** Whether the server responds at this value of a `Host` header. Default: at each. */
  isServedHost?: ((host: string) => boolean) | undefined
}

/**
 * Enforces rules of RFC 9110 and RFC 9112 that Node's parser leaves to the server, the maximum
 * query, and the methods of a URL. Not in the 404 handler, because the response must not depend on
 * the body.
 */
export function checkHead(
  app: FastifyInstance,
  { limits, isServedHost = () => true }: HeadRules
): onRequestHookHandler {
  return (request, _reply, done) => {
    done(
      headProblem(request) ??
        hostProblem(request, isServedHost) ??
        urlProblem(request.raw.url ?? '', limits.query) ??
        (request.is404 ? methodProblem(app, request) : undefined)
    )
  }
}

/** It is unknown where the next request begins. */
const closing = { headers: { connection: 'close' } }

function headProblem({ raw, headers, method }: FastifyRequest): Problem | undefined {
  const { httpVersion, rawHeaders } = raw
  if (httpVersion !== '1.1' && httpVersion !== '1.0')
    return serverProblem('http-version-not-supported', null, null, closing)
  if (rawHeaders.length >= MAX_RAW_HEADERS) return serverProblem('headers-too-large', null, null, closing)
  const hosts = valuesOf(rawHeaders, 'host')
  if (hosts.length > 1 || (hosts.length === 0 && httpVersion === '1.1') || !HOST.test(hosts[0] ?? ''))
    return serverProblem('bad-request.host', null, null, closing)
  if (valuesOf(rawHeaders, 'content-type').length > 1)
    return serverProblem('bad-request.contentType', null, null, closing)
  const coding = headers['transfer-encoding']
  if (coding !== undefined && httpVersion === '1.0')
    return serverProblem('bad-request.transferEncoding', null, null, closing)
  if (coding !== undefined && coding.toLowerCase() !== 'chunked')
    return serverProblem('not-implemented.transferCoding', null, null, closing)
  if (
    headers.expect !== undefined &&
    httpVersion === '1.1' &&
    headers.expect.toLowerCase() !== '100-continue'
  )
    return serverProblem('expectation-failed', null, null, closing)
  return METHODS.has(method) ? undefined : serverProblem('not-implemented.method')
}

/** Web pages always send a host. */
function hostProblem({ headers: { host } }: FastifyRequest, isServedHost: (host: string) => boolean) {
  return !host || isServedHost(host) ? undefined : serverProblem('misdirected-request')
}

function urlProblem(url: string, maxQueryBytes: number): Problem | undefined {
  const query = url.includes('?') ? url.slice(url.indexOf('?') + 1) : ''
  if (query.length > maxQueryBytes)
    return serverProblem('query-too-long.maximum', null, { max: maxQueryBytes })
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
    : serverProblem('method-not-allowed.allowed', null, { methods: allow }, { headers: { allow } })
}

/** Whether a route has this method. Wildcards do not count: they match any URL. */
function hasRoute(app: FastifyInstance, method: HTTPMethods, url: string): boolean {
  const route = app.findRoute({ method, url })
  return route !== null && !('*' in route.params)
}

function valuesOf(rawHeaders: readonly string[], name: string): string[] {
  return rawHeaders.filter(
    (_, at) =>
      at % 2 === 1 && rawHeaders[at - 1]?.length === name.length && rawHeaders[at - 1]?.toLowerCase() === name
  )
}

/**
 * Creates the `Host` check for a server that accepts unsigned tokens. Without this check a foreign
 * page could use DNS rebinding to act as any user. An IP address cannot be rebound, and behind a
 * port mapping clients use addresses that are unknown to the server.
 * @param options.apis names of APIs, which host addressing puts before the name of the host.
 */
export function servedHosts({
  host,
  publicUrl,
  apis
}: {
  host: string
  publicUrl: string
  apis: readonly string[]
}): (header: string) => boolean {
  const names = [host, new URL(publicUrl).hostname]
  return (header) => {
    const name = header.replace(/:\d*$/, '').toLowerCase()
    const api = apis.find((each) => name.startsWith(`${each}.`))
    const server = api === undefined ? name : name.slice(api.length + 1)
    const isAddress = isIP(server.replace(/^\[|\]$/g, '')) !== 0
    return isLoopback(server) || names.includes(server) || (isAddress && !isLoopback(host))
  }
}
