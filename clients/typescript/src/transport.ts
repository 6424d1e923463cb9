import { NoResponseError, ProblemError, problemOf } from './errors.js'

export interface TransportOptions {
  /** The JSON Web Token, or a function that returns a valid one for each request. */
  token: string | (() => string | Promise<string>)
  /** Default: the global `fetch`. */
  fetch?: (url: string, init: RequestInit) => Promise<Response>
  /** Default: 4. */
  maxAttempts?: number
  /** Default: 30 seconds for each attempt. */
  timeoutMs?: number
  /** Default: 500 ms before the second attempt, twice as long before each further attempt. */
  retryDelayMs?: number
  /** Language of displays: `da` or `en`. */
  language?: string
}

export interface TransportRequest {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  url: string
  headers?: Record<string, string | undefined>
  body?: unknown
  signal?: AbortSignal | undefined
}

export interface TransportResponse {
  status: number
  headers: Headers
  body: unknown
}

/** A longer `Retry-After` ends the attempts. */
const MAX_RETRY_AFTER_MS = 60_000

/**
 * Sends a request, and repeats it if that is safe. Every request is repeated after 429, because it
 * was not processed. GETs, and POSTs with an idempotency key, are also repeated without a response
 * and after 502, 503 or 504.
 * @throws ProblemError for a status from 400, NoResponseError without a response, and the errors of
 * the function of the token.
 */
export async function send(options: TransportOptions, request: TransportRequest): Promise<TransportResponse> {
  const { maxAttempts = 4, retryDelayMs = 500 } = options
  for (let attempt = 1; ; attempt++) {
    const isLast = attempt >= maxAttempts
    const backoffMs = retryDelayMs * 2 ** (attempt - 1) * (0.5 + Math.random())
    const token = typeof options.token === 'string' ? options.token : await options.token()
    const response = await attemptOnce(options, token, request).catch((error: unknown) => {
      request.signal?.throwIfAborted()
      if (isLast || !isRepeatable(request)) throw new NoResponseError('No response.', { cause: error })
    })
    if (response && response.status < 400) return response
    const waitMs = Math.max((response && retryAfterMs(response)) ?? 0, backoffMs)
    if (response && (isLast || !mayRetry(request, response) || waitMs > MAX_RETRY_AFTER_MS))
      throw errorOf(response)
    await sleep(waitMs, request.signal)
  }
}

async function attemptOnce(
  { language, timeoutMs = 30_000, fetch: send = fetch }: TransportOptions,
  token: string,
  { method, url, headers = {}, body, signal }: TransportRequest
): Promise<TransportResponse> {
  const given = Object.entries({
    authorization: token,
    'accept-language': language,
    'content-type': body === undefined ? undefined : 'application/json',
    ...headers
  }).filter((header): header is [string, string] => header[1] !== undefined)
  return withTimeLimit(timeoutMs, signal, async (limit) => {
    const response = await send(url, {
      method,
      headers: Object.fromEntries(given),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: limit
    })
    const text = await response.text()
    const isJson = /\bjson\b/.test(response.headers.get('content-type') ?? '')
    const parsed: unknown = isJson && text !== '' ? JSON.parse(text) : undefined
    return { status: response.status, headers: response.headers, body: parsed }
  })
}

/**
 * Runs work with a signal that aborts with `signal` or after a time. On Node 20 AbortSignal.any would
 * leave an entry in `signal` for each request: https://github.com/nodejs/node/issues/54614
 */
async function withTimeLimit<T>(
  timeoutMs: number,
  signal: AbortSignal | undefined,
  work: (limit: AbortSignal) => Promise<T>
): Promise<T> {
  const limit = new AbortController()
  const stop = () => limit.abort(signal?.reason)
  const expire = () => limit.abort(new DOMException('The request took too long.', 'TimeoutError'))
  const timer = setTimeout(expire, timeoutMs)
  signal?.addEventListener('abort', stop)
  if (signal?.aborted) stop()
  try {
    return await work(limit.signal)
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', stop)
  }
}

const isRepeatable = ({ method, headers = {} }: TransportRequest) =>
  method === 'GET' || (method === 'POST' && headers['idempotency-key'] !== undefined)

function mayRetry(request: TransportRequest, { status }: TransportResponse): boolean {
  if (status === 429) return true
  return [502, 503, 504].includes(status) && isRepeatable(request)
}

function retryAfterMs({ headers }: TransportResponse): number | undefined {
  const seconds = Number(headers.get('retry-after') ?? Number.NaN)
  return Number.isFinite(seconds) ? seconds * 1000 : undefined
}

function errorOf(response: TransportResponse): Error {
  const { status, body } = response
  const problem = problemOf(body)
  const after = retryAfterMs(response)
  return problem
    ? new ProblemError(problem, after)
    : new NoResponseError(`Unexpected response with status ${status}.`, { status, retryAfterMs: after })
}

/** @throws the reason of the signal. */
export function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    signal?.addEventListener('abort', stop, { once: true })
  })
}
