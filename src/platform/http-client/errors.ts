/**
 * missing: no response, or a gateway got no response; passing: a retry may improve the response.
 */
export type AttemptFailure = 'missing' | 'passing' | 'lasting'

/** No usable response. The code, such as STATUS_500, is for the log, without URL and body. */
export class UpstreamUnavailable extends Error {
  override readonly name = 'UpstreamUnavailable'
  constructor(
    readonly code: string,
    /** Seconds until a retry is useful. */
    readonly retryAfter: number,
    readonly failure: AttemptFailure = 'lasting',
    options?: ErrorOptions
  ) {
    super(code, options)
  }
}

/** The caller stopped waiting. */
class Aborted extends UpstreamUnavailable {
  constructor() {
    super('ABORTED', 5)
  }
}

/**
 * Waits for a promise until the signal aborts, without cancelling the promise.
 * @throws Aborted when the signal aborts.
 */
export function rejectOnAbort<T>(signal: AbortSignal, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(new Aborted())
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}
