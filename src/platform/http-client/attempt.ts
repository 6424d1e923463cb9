import { Agent, errors } from 'undici'
import type { UpstreamRequest, UpstreamResponse } from './client.js'
import { Aborted, BadUpstreamResponse, UpstreamTimeout } from './errors.js'

interface AttemptOptions {
  timeoutMs: number
  maxConnections: number
  maxResponseBytes: number
  /** Seconds after which it may be worth to try again, where the party does not say. */
  retryAfter: number
}

/**
 * Asks a remote party once. An answer of no use comes back as a value, since it is an answer all the same.
 * @throws NoAnswer, and GivenUp when the patience ended it.
 */
type Attempt = (
  request: UpstreamRequest,
  patience?: AbortSignal
) => Promise<UpstreamResponse | BadUpstreamResponse>

/** Statuses by which a gateway says that the party behind it does not answer. */
const nobodyThere = [502, 503, 504]

/** Opens the connections to a remote party. */
export function openAttempts({ timeoutMs, maxConnections, maxResponseBytes, retryAfter }: AttemptOptions): {
  attempt: Attempt
  close: () => Promise<void>
} {
  const agent = new Agent({
    connections: maxConnections,
    connect: { timeout: timeoutMs },
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    maxResponseSize: maxResponseBytes
  })

  const attempt: Attempt = async ({ method = 'GET', url, headers = {}, body }, patience) => {
    const { origin, pathname, search } = new URL(url)
    // By hand: in Node.js 20 a timeout signal is lost to the garbage collector when only AbortSignal.any refers to it.
    const inTime = new AbortController()
    const timer = setTimeout(() => inTime.abort(), timeoutMs)
    try {
      const answer = await agent.request({
        origin,
        path: `${pathname}${search}`,
        method,
        headers: { accept: 'application/fhir+json, application/json', ...headers },
        body: body ?? null,
        signal: patience ? AbortSignal.any([patience, inTime.signal]) : inTime.signal
      })
      return await read(answer, retryAfter)
    } catch (cause) {
      if (cause instanceof UpstreamTimeout || isOurFault(cause)) throw cause
      if (patience?.aborted) throw new Aborted()
      if (isTooLarge(cause)) return new BadUpstreamResponse('TOO_LARGE', retryAfter)
      throw new UpstreamTimeout('NO_ANSWER', retryAfter, { cause })
    } finally {
      clearTimeout(timer)
    }
  }
  return { attempt, close: () => agent.close() }
}

async function read(
  { statusCode: status, headers, body }: Awaited<ReturnType<Agent['request']>>,
  retryAfter: number
): Promise<UpstreamResponse | BadUpstreamResponse> {
  if (isUsable(status)) {
    const text = await body.text()
    return parsed(status, text) ?? new BadUpstreamResponse('NO_JSON', retryAfter)
  }
  await body.dump()
  if (nobodyThere.includes(status)) throw new UpstreamTimeout(`STATUS_${status}`, retryAfter)
  const wished = status === 429 ? seconds(headers['retry-after']) : undefined
  return new BadUpstreamResponse(`STATUS_${status}`, wished ?? retryAfter, status >= 500)
}

/** Redirects are never followed. */
const isUsable = (status: number) =>
  status >= 200 && status < 500 && !(status >= 300 && status < 400) && status !== 408 && status !== 429

/** The parser's own message quotes the answer, so it goes nowhere. */
function parsed(status: number, text: string): UpstreamResponse | undefined {
  if (text === '') return { status, body: undefined }
  try {
    return { status, body: JSON.parse(text) as unknown }
  } catch {
    return status >= 400 ? { status, body: undefined } : undefined
  }
}

/** A time to wait that can be passed on: whole seconds, an hour at most. */
function seconds(text: string | string[] | undefined): number | undefined {
  const wished = typeof text === 'string' && /^\d{1,4}$/.test(text) ? Number(text) : 0
  return wished > 0 && wished <= 3600 ? wished : undefined
}

const isTooLarge = (cause: unknown) =>
  cause instanceof errors.ResponseExceededMaxSizeError || cause instanceof errors.HeadersOverflowError

/** A request that cannot be sent is a bug, which must be seen. */
const isOurFault = (cause: unknown) => cause instanceof errors.InvalidArgumentError
