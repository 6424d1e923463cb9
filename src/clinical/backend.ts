import type { Actor } from '../platform/auth/actor.js'
import type { Problem } from '../platform/errors/problem.js'
import {
  createHttpClient,
  type UpstreamRequest,
  type UpstreamResponse
} from '../platform/http-client/client.js'
import { RemoteUnavailable } from '../platform/http-client/errors.js'
import { type Log, logLine } from '../platform/logging/log-line.js'
import { clinicalProblem } from './problems.js'

/** In whose name a question is asked, and how long its answer is waited for: all questions of a request share its patience. */
export type Asker = Pick<Actor, 'token' | 'deadline'>

/** The clinical FHIR backend, asked in the name of a caller. */
export interface Backend {
  /** Where its addresses begin, without a slash at the end. */
  readonly base: string
  /**
   * Asks with the caller's token; nothing else of the caller, or of the request that is being served, goes along.
   * @param path what follows the base.
   * @throws Problem `clinical-backend-unavailable`, at once when the patience of the request is over.
   */
  ask(asker: Asker, path: string, request?: Omit<UpstreamRequest, 'url'>): Promise<UpstreamResponse>
  close(): Promise<void>
}

/** Milliseconds that one of two attempts may take, and for which the backend is left alone when it gives no answer repeatedly. */
export interface BackendOptions {
  timeoutMs?: number | undefined
  circuitOpenMs?: number | undefined
  /** Where it is told when the backend counts as away, and when it answers again. */
  log?: Log | undefined
}

/** Opens the way to the clinical FHIR backend. */
export function openBackend(
  base: string,
  { timeoutMs = 3000, circuitOpenMs = 10_000, log }: BackendOptions
): Backend {
  // Consents may come with scanned papers inside.
  const remote = createHttpClient({
    ...{ timeoutMs, circuitOpenMs, maxConnections: 20, maxResponseBytes: 4 * 1_048_576 },
    onCircuitChange: (isOpen) =>
      isOpen
        ? log?.warn(logLine('The clinical backend does not answer. What needs it is refused.'))
        : log?.info(logLine('The clinical backend answers again.'))
  })
  return {
    base,
    async ask({ token, deadline }, path, { headers, ...request } = {}) {
      const question = {
        ...request,
        url: `${base}${path}`,
        headers: { ...headers, authorization: `Bearer ${token}` }
      }
      try {
        return await remote.request(question, deadline.signal)
      } catch (cause) {
        throw cause instanceof RemoteUnavailable ? unavailable(cause, cause.retryAfter) : cause
      }
    },
    close: () => remote.close()
  }
}

/** What to throw for an answer from which nothing can be learned. */
export const oddAnswer = (code: string): Problem => unavailable(new OddAnswer(code), 10)

/** An answer that is no FHIR, or comes with a status that fits no question of ours; the code is for the log. */
class OddAnswer extends Error {
  override readonly name = 'OddAnswer'
  constructor(readonly code: string) {
    super(code)
  }
}

const unavailable = (cause: Error, retryAfter: number) =>
  clinicalProblem('clinical-backend-unavailable', 'Nothing was written. Try again later.', {
    headers: { 'retry-after': String(retryAfter) },
    cause
  })
