import {
  BrokenCircuitError,
  CircuitState,
  ConsecutiveBreaker,
  circuitBreaker,
  handleType,
  retry
} from 'cockatiel'
import { createSemaphore, PermitRefused } from '../concurrency/semaphore.js'
import { openAttempts } from './attempt.js'
import { Aborted, BadUpstreamResponse, RemoteUnavailable, UpstreamTimeout, unlessAborted } from './errors.js'

/** What is sent to a remote party. */
export interface UpstreamRequest {
  method?: 'GET' | 'POST'
  /** Absolute URL; must be one that we made, or checked. */
  url: string
  headers?: Readonly<Record<string, string>>
  body?: string
}

export interface UpstreamResponse {
  status: number
  /** The parsed JSON body; undefined where there is none, and where a status from 400 comes with something else, such as a proxy's page. */
  body: unknown
}

/** A remote party that is asked questions: with time-outs, one retry, and a break when it does not answer. */
export interface HttpClient {
  /**
   * Asks once, and once more when no answer or a 5xx came. Answers from 200 to 499 are usable, but for redirects (never followed), 408,
   * 429, and what is too large or no JSON. When the patience is over, the question is withdrawn: from the queue, or from the wire.
   * @throws RemoteUnavailable when there is no usable answer, at once when the patience is over and while the party is known to be away.
   */
  request(request: UpstreamRequest, patience: AbortSignal): Promise<UpstreamResponse>
  close(): Promise<void>
}

export interface HttpClientOptions {
  /** Milliseconds that one attempt may take, from connecting to the end of the body. */
  timeoutMs: number
  /** Questions that may be under way at once; more of them wait, which is no part of the time-out. */
  maxConnections: number
  /** Questions that may wait. */
  maxQueue?: number
  /**
   * Questions without an answer, in a row, after which the party counts as away. An answer of no use to one caller says nothing of
   * others, so it does not count; 502, 503 and 504 are a gateway's word that there is no answer.
   */
  failureThreshold?: number
  /** Milliseconds for which it counts as away, before one question tries again. */
  circuitOpenMs?: number
  /** Bytes of an answer at most. */
  maxResponseBytes?: number
  /** Told when the party begins to count as away, and when it answers again. */
  onCircuitChange?: (isAway: boolean) => void
}

/** Opens the way to a remote party. */
export function createHttpClient({
  timeoutMs,
  maxConnections,
  maxQueue = 1000,
  failureThreshold = 5,
  circuitOpenMs = 10_000,
  maxResponseBytes = 1_048_576,
  onCircuitChange = () => {}
}: HttpClientOptions): HttpClient {
  const retryAfter = Math.ceil(circuitOpenMs / 1000)
  const { attempt, close } = openAttempts({ timeoutMs, maxConnections, maxResponseBytes, retryAfter })
  // Who waits stands before the breaker, so that all of them learn at once that the party is away.
  const semaphore = createSemaphore({ permits: maxConnections, maxQueue: maxQueue })
  const breaker = breakerOf(failureThreshold, circuitOpenMs, onCircuitChange)

  /** The question that tries whether the party is back goes on when its caller has gone: its answer is for everybody. */
  const attempts = async (request: UpstreamRequest, patience: AbortSignal) => {
    const withdrawal = breaker.state === CircuitState.Closed ? patience : undefined
    let missing: UpstreamTimeout | undefined
    const noting = (cause: unknown) => {
      if (cause instanceof UpstreamTimeout) missing = cause
      throw cause
    }
    return twice
      .execute(() => attempt(request, withdrawal).catch(noting))
      .catch((cause) => {
        // Whoever lost patience in the second attempt has not been answered the first time either.
        throw cause instanceof Aborted && missing ? missing : cause
      })
  }

  return {
    async request(request, patience) {
      const asked = semaphore.run(patience, () => breaker.execute(() => attempts(request, patience)))
      const answer = await unlessAborted(patience, asked).catch((cause) => {
        if (cause instanceof BrokenCircuitError) throw new RemoteUnavailable('AWAY', retryAfter, { cause })
        if (!(cause instanceof PermitRefused)) throw cause
        throw cause.reason === 'aborted' ? new Aborted() : new RemoteUnavailable('QUEUE_FULL', retryAfter)
      })
      if (answer instanceof BadUpstreamResponse) throw answer
      return answer
    },
    close
  }
}

const twice = retry(
  handleType(UpstreamTimeout).orWhenResult(
    (answer) => answer instanceof BadUpstreamResponse && answer.mayChange
  ),
  { maxAttempts: 1 }
)

/** Opens for want of answers alone; what else is thrown leaves its count as it is. */
function breakerOf(failures: number, away: number, onChange: (isAway: boolean) => void) {
  const breaker = circuitBreaker(handleType(UpstreamTimeout), {
    halfOpenAfter: away,
    breaker: new ConsecutiveBreaker(failures)
  })
  let isAway = false
  const change = (now: boolean) => () => {
    if (isAway !== now) onChange(now)
    isAway = now
  }
  breaker.onBreak(change(true))
  breaker.onReset(change(false))
  return breaker
}
