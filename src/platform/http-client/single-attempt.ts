import { type Attributes, context, propagation } from '@opentelemetry/api'
import { type Agent, errors } from 'undici'
import { durationHistogram, observeGauge, secondsSince } from '../telemetry/meter.js'
import { addTiming } from '../telemetry/request-timings.js'
import { addClientSpan } from '../telemetry/spans.js'
import { UpstreamUnavailable } from './errors.js'

export interface UpstreamRequest {
  method?: 'GET' | 'POST'
  /** Absolute URL. The path must be made or validated by this service. */
  url: string
  headers?: Readonly<Record<string, string>>
  body?: string
}

export interface UpstreamResponse {
  status: number
  /** The parsed JSON. Undefined without a body, or for statuses from 400 with other content. */
  body: unknown
}

/** Sends a request once, until the signal aborts. Returns a failure. */
export type Attempt = (
  request: UpstreamRequest,
  signal: AbortSignal
) => Promise<UpstreamResponse | UpstreamUnavailable>

/** Statuses of a gateway without a response from its upstream. */
const GATEWAY_ERRORS = [502, 503, 504]

/** Maximum seconds that a busy upstream may request. */
const MAX_RETRY_AFTER_S = 3600

/**
 * Attempts on the connections of an agent. A response may have another `retryAfter`, in seconds.
 */
export function createAttempt(agent: Agent, retryAfter: number): Attempt {
  return async ({ method = 'GET', url, headers, body = null }, signal) => {
    const { origin, pathname, search } = new URL(url)
    try {
      const response = await agent.request({
        ...{ origin, path: `${pathname}${search}`, method, body, signal },
        headers: { accept: 'application/fhir+json, application/json', ...headers }
      })
      return await read(response, retryAfter)
    } catch (cause) {
      // A request that cannot be sent is a bug and must not look like an outage.
      if (cause instanceof errors.InvalidArgumentError) throw cause
      if (isTooLarge(cause)) return new UpstreamUnavailable('TOO_LARGE', retryAfter)
      return new UpstreamUnavailable('NO_ANSWER', retryAfter, 'missing', { cause })
    }
  }
}

async function read(
  { statusCode: status, headers, body }: Awaited<ReturnType<Agent['request']>>,
  retryAfter: number
): Promise<UpstreamResponse | UpstreamUnavailable> {
  if (isUsable(status)) {
    const text = await body.text()
    return parse(status, text) ?? new UpstreamUnavailable('NO_JSON', retryAfter)
  }
  await body.dump()
  const asked = status === 429 ? Math.ceil((parseRetryAfterMs(headers['retry-after']) ?? 0) / 1000) : 0
  const isBounded = asked > 0 && asked <= MAX_RETRY_AFTER_S
  const failure = GATEWAY_ERRORS.includes(status) ? 'missing' : status >= 500 ? 'passing' : 'lasting'
  return new UpstreamUnavailable(`STATUS_${status}`, isBounded ? asked : retryAfter, failure)
}

/** Redirects are never followed. */
const isUsable = (status: number) =>
  status >= 200 && status < 500 && !(status >= 300 && status < 400) && status !== 408 && status !== 429

/** Drops the parser's error, because its message quotes the response. */
function parse(status: number, text: string): UpstreamResponse | undefined {
  if (text === '') return { status, body: undefined }
  try {
    return { status, body: JSON.parse(text) as unknown }
  } catch {
    return status >= 400 ? { status, body: undefined } : undefined
  }
}

const isTooLarge = (cause: unknown) =>
  cause instanceof errors.ResponseExceededMaxSizeError || cause instanceof errors.HeadersOverflowError

/** Parses `Retry-After`: seconds or an HTTP date. Undefined for other texts. */
export function parseRetryAfterMs(text: string | string[] | undefined, now = Date.now()): number | undefined {
  if (typeof text !== 'string') return undefined
  if (/^\d{1,9}$/.test(text.trim())) return Number(text) * 1000
  const date = /^[A-Za-z]{3}, /.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}

/**
 * Measures each attempt with the metric names of OpenTelemetry for HTTP clients, and passes on the
 * `traceparent`. Paths, which may name patients, are left out.
 */
export function measureAttempts(upstream: string, attempt: Attempt): Attempt {
  const duration = durationHistogram('http.client.request.duration', 'Duration of calls to upstreams.')
  return async (request, signal) => {
    const start = performance.now()
    const method = request.method ?? 'GET'
    const headers = { ...request.headers }
    propagation.inject(context.active(), headers)
    const record = (outcome: Attributes) => {
      const attributes = { 'service.peer.name': upstream, 'http.request.method': method, ...outcome }
      duration.record(secondsSince(start), attributes)
      addClientSpan(`${method} ${upstream}`, start, attributes)
      addTiming(upstream, start)
    }
    try {
      const response = await attempt({ ...request, headers }, signal)
      if (response instanceof UpstreamUnavailable) record({ 'error.type': response.code })
      else record({ 'http.response.status_code': response.status })
      return response
    } catch (cause) {
      record({ 'error.type': 'other' })
      throw cause
    }
  }
}

/** Observes whether the circuit of an upstream is open, until the returned function is called. */
export const observeCircuit = (upstream: string, isOpen: () => boolean): (() => void) =>
  observeGauge(
    'ssl.upstream.circuit.open',
    { description: '1 while an upstream is not called after repeated failures, otherwise 0.' },
    () => [[isOpen() ? 1 : 0, { 'service.peer.name': upstream }]]
  )
