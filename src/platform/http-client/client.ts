import {
  BrokenCircuitError,
  CircuitState,
  ConsecutiveBreaker,
  circuitBreaker,
  handleWhenResult,
  retry,
  TimeoutStrategy,
  timeout,
  wrap
} from 'cockatiel'
import { Agent } from 'undici'
import type { SlotOwner } from '../concurrency/quotas.js'
import { NoSlot, type Slots } from '../concurrency/slots.js'
import { rejectOnAbort, UpstreamUnavailable } from './errors.js'
import {
  createAttempt,
  measureAttempts,
  observeCircuit,
  type UpstreamRequest,
  type UpstreamResponse
} from './single-attempt.js'

export interface HttpClientOptions {
  name: string
  /** Milliseconds of one attempt, from connecting to the end of the body. */
  timeoutMs: number
  /** Slots of concurrent requests. `timeoutMs` does not cover the wait for a slot. */
  slots: Slots
  /**
   * Consecutive requests without a response that open the circuit. 502, 503 and 504 count, because
   * a gateway got no response; other responses may concern one caller only.
   */
  failureThreshold?: number
  /** Milliseconds for which the circuit stays open, before one request probes the upstream. */
  circuitOpenMs?: number
  maxResponseBytes?: number
  /** Called when the circuit opens and when it closes. */
  onCircuitChange?: (isOpen: boolean) => void
}

/** An HTTP client for one upstream, with timeouts, one retry and a circuit breaker. */
export function createHttpClient({
  name,
  timeoutMs,
  slots,
  failureThreshold = 5,
  circuitOpenMs = 10_000,
  maxResponseBytes = 1_048_576,
  onCircuitChange = () => {}
}: HttpClientOptions) {
  const retryAfter = Math.ceil(circuitOpenMs / 1000)
  const agent = new Agent({
    connections: slots.limits.slots.total,
    connect: { timeout: timeoutMs },
    maxResponseSize: maxResponseBytes
  })
  const attempt = measureAttempts(name, createAttempt(agent, retryAfter))
  const breaker = circuitBreaker(handleWhenResult(isMissing), {
    halfOpenAfter: circuitOpenMs,
    breaker: new ConsecutiveBreaker(failureThreshold)
  })
  const attempts = wrap(breaker, retryOnce, timeout(timeoutMs, TimeoutStrategy.Cooperative))
  const isOpen = () => breaker.state === CircuitState.Open
  let wasOpen = false
  breaker.onStateChange((state) => {
    if (state === CircuitState.HalfOpen || isOpen() === wasOpen) return
    wasOpen = isOpen()
    onCircuitChange(wasOpen)
  })
  const stopObserving = observeCircuit(name, isOpen)

  return {
    /**
     * Sends a request, and retries it once after a timeout or 5xx. Responses from 200 to 499 are
     * usable, except redirects (never followed), 408, 429, too large responses and invalid JSON.
     * @throws UpstreamUnavailable if there is no usable response. Thrown at once when the signal
     * aborts (a request in flight continues) or while the circuit is open.
     */
    async request(
      request: UpstreamRequest,
      signal: AbortSignal,
      owner?: SlotOwner
    ): Promise<UpstreamResponse> {
      // Called in a slot, so that waiting requests fail fast when the circuit opens.
      const send = () => attempts.execute(({ signal: timeout }) => attempt(request, timeout))
      const response = await rejectOnAbort(signal, slots.run(owner, send, signal)).catch((cause) => {
        if (cause instanceof BrokenCircuitError) throw new UpstreamUnavailable('CIRCUIT_OPEN', retryAfter)
        throw cause instanceof NoSlot ? new UpstreamUnavailable('QUEUE_FULL', retryAfter) : cause
      })
      if (response instanceof UpstreamUnavailable) throw response
      return response
    },
    /** Whether the circuit is open after repeated failures. */
    isOpen,
    async close() {
      stopObserving()
      await agent.close()
    }
  }
}

/** Only missing responses open the circuit. */
const isMissing = (response: unknown): response is UpstreamUnavailable =>
  response instanceof UpstreamUnavailable && response.failure === 'missing'

const retryOnce = retry(
  handleWhenResult((response) => response instanceof UpstreamUnavailable && response.failure !== 'lasting'),
  { maxAttempts: 1 }
)
