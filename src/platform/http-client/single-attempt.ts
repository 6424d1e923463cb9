import { TimeoutStrategy, timeout } from 'cockatiel'
import { type Agent, errors } from 'undici'
import { Aborted, BadUpstreamResponse, UpstreamTimeout } from './errors.js'
import { parseRetryAfterMs } from './retry-after.js'

/** A request to an upstream. */
export interface UpstreamRequest {
  method?: 'GET' | 'POST'
  /** Absolute URL. Must be made or validated by this service. */
  url: string
  headers?: Readonly<Record<string, string>>
  body?: string
}

export interface UpstreamResponse {
  status: number
  /** The parsed JSON. Undefined without a body, or for statuses from 400 with other content. */
  body: unknown
}

/**
 * Sends a request once. Returns an unusable response as a value, because it is a response.
 * @throws UpstreamTimeout without a response; Aborted when the signal aborted.
 */
export type Attempt = (
  request: UpstreamRequest,
  signal?: AbortSignal
) => Promise<UpstreamResponse | BadUpstreamResponse>

/** Statuses of a gateway without a response from its upstream. */
const GATEWAY_ERRORS = [502, 503, 504]

/** Seconds that a busy upstream may ask for. */
const MAX_RETRY_AFTER_S = 3600

/**
 * Attempts on the connections of an agent.
 * @param retryAfter seconds until a retry is worthwhile, unless the response says otherwise.
 */
export function attemptBy(agent: Agent, timeoutMs: number, retryAfter: number): Attempt {
  const limit = timeout(timeoutMs, TimeoutStrategy.Cooperative)
  return ({ method = 'GET', url, headers, body = null }, caller) =>
    limit.execute(async ({ signal }) => {
      const { origin, pathname, search } = new URL(url)
      try {
        const response = await agent.request({
          ...{ origin, path: `${pathname}${search}`, method, body, signal },
          headers: { accept: 'application/fhir+json, application/json', ...headers }
        })
        return await read(response, retryAfter)
      } catch (cause) {
        if (cause instanceof UpstreamTimeout || isInvalidRequest(cause)) throw cause
        if (caller?.aborted) throw new Aborted()
        if (isTooLarge(cause)) return new BadUpstreamResponse('TOO_LARGE', retryAfter)
        throw new UpstreamTimeout('NO_ANSWER', retryAfter, { cause })
      }
    }, caller)
}

async function read(
  { statusCode: status, headers, body }: Awaited<ReturnType<Agent['request']>>,
  retryAfter: number
): Promise<UpstreamResponse | BadUpstreamResponse> {
  if (isUsable(status)) {
    const text = await body.text()
    return parse(status, text) ?? new BadUpstreamResponse('NO_JSON', retryAfter)
  }
  await body.dump()
  if (GATEWAY_ERRORS.includes(status)) throw new UpstreamTimeout(`STATUS_${status}`, retryAfter)
  const asked = status === 429 ? Math.ceil((parseRetryAfterMs(headers['retry-after']) ?? 0) / 1000) : 0
  const isBounded = asked > 0 && asked <= MAX_RETRY_AFTER_S
  return new BadUpstreamResponse(`STATUS_${status}`, isBounded ? asked : retryAfter, status >= 500)
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

/** A request that cannot be sent is a bug and must not look like an outage. */
const isInvalidRequest = (cause: unknown) => cause instanceof errors.InvalidArgumentError
