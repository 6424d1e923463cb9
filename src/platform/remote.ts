import {
  BrokenCircuitError,
  BulkheadRejectedError,
  bulkhead,
  ConsecutiveBreaker,
  circuitBreaker,
  handleAll,
  retry,
  wrap
} from 'cockatiel'
import { Agent } from 'undici'

/** What is sent to a remote party. */
export interface RemoteRequest {
  method?: 'GET' | 'POST'
  /** Absolute URL; must be one that we made, or checked. */
  url: string
  headers?: Readonly<Record<string, string>>
  body?: string
}

export interface RemoteAnswer {
  status: number
  /** The parsed JSON body; undefined where there is none, and where a status from 400 comes with something else, such as a proxy's page. */
  body: unknown
}

/** A remote party that is asked questions: with time-outs, one retry, and a break when it does not answer. */
export interface Remote {
  /**
   * Asks once, and once more when no usable answer came. Answers from 200 to 499 are usable, but for redirects (never followed), 408 and 429.
   * @throws RemoteUnavailable when there is no usable answer, at once while the party is known to be away.
   */
  ask(request: RemoteRequest): Promise<RemoteAnswer>
  close(): Promise<void>
}

export interface RemoteOptions {
  /** Milliseconds that one attempt may take, from connecting to the end of the body. */
  timeout: number
  /** Questions that may be under way at once; more of them wait, which is no part of the time-out. */
  connections: number
  /** Questions that may wait. */
  waiting?: number
  /** Failures in a row after which the party counts as away. */
  failures?: number
  /** Milliseconds for which it counts as away, before one question tries again. */
  away?: number
  /** Bytes of an answer at most. */
  maxAnswer?: number
  /** Told when the party begins to count as away, and when it answers again. */
  onChange?: (isAway: boolean) => void
}

/** The remote party gave no answer that can be used. The message is for the log: it holds neither URL nor body. */
export class RemoteUnavailable extends Error {
  override readonly name = 'RemoteUnavailable'
  constructor(
    message: string,
    /** Seconds after which it may be worth to try again. */
    readonly retryAfter: number,
    options?: ErrorOptions
  ) {
    super(message, options)
  }
}

/** Opens the way to a remote party. */
export function createRemote({
  timeout,
  connections,
  waiting = 100_000,
  failures = 5,
  away = 10_000,
  maxAnswer = 1_048_576,
  onChange = () => {}
}: RemoteOptions): Remote {
  const retryAfter = Math.ceil(away / 1000)
  const agent = new Agent({
    connections,
    connect: { timeout },
    headersTimeout: timeout,
    bodyTimeout: timeout,
    maxResponseSize: maxAnswer
  })
  const breaker = circuitBreaker(handleAll, {
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
  // Who waits stands before the breaker, so that all of them learn at once that the party is away.
  const policy = wrap(bulkhead(connections, waiting), breaker, retry(handleAll, { maxAttempts: 1 }))

  async function attempt({ method = 'GET', url, headers = {}, body }: RemoteRequest): Promise<RemoteAnswer> {
    const { origin, pathname, search } = new URL(url)
    const answer = await agent.request({
      origin,
      path: `${pathname}${search}`,
      method,
      headers: { accept: 'application/fhir+json, application/json', ...headers },
      body: body ?? null,
      signal: AbortSignal.timeout(timeout)
    })
    const { statusCode: status } = answer
    const text = await answer.body.text()
    if (status < 200 || (status >= 300 && status < 400) || status >= 500 || status === 408 || status === 429)
      throw new Error(`It answered ${status}.`)
    return { status, body: text === '' ? undefined : parsed(text, status >= 400) }
  }

  return {
    async ask(request) {
      try {
        return await policy.execute(() => attempt(request))
      } catch (cause) {
        if (cause instanceof BrokenCircuitError)
          throw new RemoteUnavailable('It is away.', retryAfter, { cause })
        if (cause instanceof BulkheadRejectedError)
          throw new RemoteUnavailable('Too many questions wait for it.', retryAfter, { cause })
        throw new RemoteUnavailable('It did not answer as it should.', retryAfter, { cause })
      }
    },
    close: () => agent.close()
  }
}

function parsed(text: string, orNothing: boolean): unknown {
  try {
    return JSON.parse(text)
  } catch {
    if (orNothing) return undefined
    // The parser's own message quotes the answer.
    throw new Error('It answered no JSON.')
  }
}
