import {
  BrokenCircuitError,
  CircuitState,
  ConsecutiveBreaker,
  circuitBreaker,
  handleType,
  retry
} from 'cockatiel'
import { Agent } from 'undici'
import { createSemaphore, PermitRefused } from '../concurrency/semaphore.js'
import {
  Aborted,
  BadUpstreamResponse,
  rejectOnAbort,
  UpstreamTimeout,
  UpstreamUnavailable
} from './errors.js'
import { attemptBy, type UpstreamRequest, type UpstreamResponse } from './single-attempt.js'
import { measured, observeCircuit } from './upstream-metrics.js'

/** An HTTP client for one upstream, with timeouts, one retry and a circuit breaker. */
export interface HttpClient {
  /**
   * Sends a request, and retries it once after a timeout or 5xx. Responses from 200 to 499 are
   * usable, except redirects (never followed), 408, 429, too large responses and invalid JSON. The
   * signal aborts a queued request as well as one in flight.
   * @throws UpstreamUnavailable without a usable response; at once when the signal aborts or while
   *   the circuit is open.
   */
  request(request: UpstreamRequest, signal: AbortSignal): Promise<UpstreamResponse>
  /** Whether the upstream is not called after repeated failures. */
  isOpen(): boolean
  close(): Promise<void>
}

export interface HttpClientOptions {
  /** Name of the upstream in metrics. */
  name: string
  /** Milliseconds of one attempt, from connecting to the end of the body. */
  timeoutMs: number
  /** Maximum concurrent requests. Others wait in a queue, which `timeoutMs` does not cover. */
  maxConnections: number
  /** Maximum requests in the queue. */
  maxQueue?: number
  /**
   * Consecutive requests without a response that open the circuit. 502, 503 and 504 count, because
   * a gateway got no response. Other unusable responses do not: they may concern one caller only.
   */
  failureThreshold?: number
  /** Milliseconds for which the circuit stays open, before one request probes the upstream. */
  circuitOpenMs?: number
  /** Maximum bytes of a response. */
  maxResponseBytes?: number
  /** Called when the circuit opens and when it closes. */
  onCircuitChange?: (isOpen: boolean) => void
}

/** Creates the client of an upstream. */
export function createHttpClient({
  name,
  timeoutMs,
  maxConnections,
  maxQueue = 1000,
  failureThreshold = 5,
  circuitOpenMs = 10_000,
  maxResponseBytes = 1_048_576,
  onCircuitChange = () => {}
}: HttpClientOptions): HttpClient {
  const retryAfter = Math.ceil(circuitOpenMs / 1000)
  const agent = new Agent({
    connections: maxConnections,
    connect: { timeout: timeoutMs },
    maxResponseSize: maxResponseBytes
  })
  const attempt = measured(name, attemptBy(agent, timeoutMs, retryAfter))
  // Queue in front of the breaker, so that queued requests fail fast when it opens. The bulkhead of
  // cockatiel does not do: a request that aborts in its queue takes the turn of the next one.
  const semaphore = createSemaphore({ permits: maxConnections, maxQueue })
  const breaker = createBreaker(failureThreshold, circuitOpenMs, onCircuitChange)
  const isOpen = () => breaker.state === CircuitState.Open
  const stopObserving = observeCircuit(name, isOpen)

  /** The probe of a half-open circuit ignores the caller's signal: it serves all callers. */
  const attempts = async (request: UpstreamRequest, signal: AbortSignal) => {
    const attemptSignal = breaker.state === CircuitState.Closed ? signal : undefined
    let timedOut: UpstreamTimeout | undefined
    const noteTimeout = (cause: unknown) => {
      if (cause instanceof UpstreamTimeout) timedOut = cause
      throw cause
    }
    return retryOnce
      .execute(() => attempt(request, attemptSignal).catch(noteTimeout))
      .catch((cause) => {
        // A caller that aborted the second attempt got no response to the first one either.
        throw cause instanceof Aborted && timedOut ? timedOut : cause
      })
  }

  return {
    async request(request, signal) {
      const pending = semaphore.run(signal, () => breaker.execute(() => attempts(request, signal)))
      const response = await rejectOnAbort(signal, pending).catch((cause) => {
        if (cause instanceof BrokenCircuitError)
          throw new UpstreamUnavailable('CIRCUIT_OPEN', retryAfter, { cause })
        if (!(cause instanceof PermitRefused)) throw cause
        throw cause.reason === 'aborted' ? new Aborted() : new UpstreamUnavailable('QUEUE_FULL', retryAfter)
      })
      if (response instanceof BadUpstreamResponse) throw response
      return response
    },
    isOpen,
    async close() {
      stopObserving()
      await agent.close()
    }
  }
}

const retryOnce = retry(
  handleType(UpstreamTimeout).orWhenResult(
    (response) => response instanceof BadUpstreamResponse && response.isRetryable
  ),
  { maxAttempts: 1 }
)

/** Opens only after requests without a response. Other errors do not change its count. */
function createBreaker(failureThreshold: number, circuitOpenMs: number, onChange: (isOpen: boolean) => void) {
  const breaker = circuitBreaker(handleType(UpstreamTimeout), {
    halfOpenAfter: circuitOpenMs,
    breaker: new ConsecutiveBreaker(failureThreshold)
  })
  let wasOpen = false
  const change = (isOpen: boolean) => () => {
    if (wasOpen !== isOpen) onChange(isOpen)
    wasOpen = isOpen
  }
  breaker.onBreak(change(true))
  breaker.onReset(change(false))
  return breaker
}
