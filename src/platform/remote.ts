import { BrokenCircuitError, ConsecutiveBreaker, circuitBreaker, handleAll, retry, wrap } from 'cockatiel'
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
  /** The parsed JSON body; undefined where there is none. */
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
  /** Questions that may be under way at once; more of them wait. */
  connections: number
  /** Failures in a row after which the party counts as away. */
  failures?: number
  /** Milliseconds for which it counts as away, before one question tries again. */
  away?: number
  /** Bytes of an answer at most. */
  maxAnswer?: number
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
  failures = 5,
  away = 10_000,
  maxAnswer = 1_048_576
}: RemoteOptions): Remote {
  const retryAfter = Math.ceil(away / 1000)
  const agent = new Agent({
    connections,
    connect: { timeout },
    headersTimeout: timeout,
    bodyTimeout: timeout,
    maxResponseSize: maxAnswer
  })
  const policy = wrap(
    circuitBreaker(handleAll, { halfOpenAfter: away, breaker: new ConsecutiveBreaker(failures) }),
    retry(handleAll, { maxAttempts: 1 })
  )

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
    return { status, body: text === '' ? undefined : parsed(text) }
  }

  return {
    async ask(request) {
      try {
        return await policy.execute(() => attempt(request))
      } catch (cause) {
        if (cause instanceof BrokenCircuitError)
          throw new RemoteUnavailable('It is away.', retryAfter, { cause })
        throw new RemoteUnavailable('It did not answer as it should.', retryAfter, { cause })
      }
    },
    close: () => agent.close()
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // The parser's own message quotes the answer.
    throw new Error('It answered no JSON.')
  }
}
