/** The remote party gave no answer that can be used. The code is for the log, such as STATUS_500: it holds neither URL nor body. */
export class RemoteUnavailable extends Error {
  override readonly name = 'RemoteUnavailable'
  constructor(
    readonly code: string,
    /** Seconds after which it may be worth to try again. */
    readonly retryAfter: number,
    options?: ErrorOptions
  ) {
    super(code, options)
  }
}

/** No answer came, or a gateway's word that there is none: the party may be away. */
export class UpstreamTimeout extends RemoteUnavailable {}

/** An answer came, of no use for this question, but it shows that the party is there. */
export class BadUpstreamResponse extends RemoteUnavailable {
  constructor(
    code: string,
    retryAfter: number,
    /** Whether another attempt may bring a better one. */
    readonly mayChange = false
  ) {
    super(code, retryAfter)
  }
}

/** Whoever asked does not wait for the answer any longer. */
export class Aborted extends RemoteUnavailable {
  constructor() {
    super('GIVEN_UP', 5)
  }
}

/**
 * Waits for an answer as long as there is patience. What comes later is nobody's any more.
 * @throws GivenUp at once when the patience is over.
 */
export function unlessAborted<T>(patience: AbortSignal, answer: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(new Aborted())
    if (patience.aborted) giveUp()
    patience.addEventListener('abort', giveUp, { once: true })
    answer.then(resolve, reject).finally(() => patience.removeEventListener('abort', giveUp))
  })
}
