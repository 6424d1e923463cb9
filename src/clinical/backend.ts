import type { Call } from '../platform/auth/call.js'
import { slotOwnerOf } from '../platform/auth/caller.js'
import type { Slots } from '../platform/concurrency/slots.js'
import type { Problem } from '../platform/errors/problem.js'
import { createHttpClient } from '../platform/http-client/client.js'
import { UpstreamUnavailable } from '../platform/http-client/errors.js'
import type { UpstreamRequest, UpstreamResponse } from '../platform/http-client/single-attempt.js'
import { type Log, logLine } from '../platform/logging/log-line.js'
import { clinicalProblem } from './texts.js'

/** The caller whose token is sent, and the deadline, which all calls of a request share. */
export type BackendCall = Pick<Call, 'caller' | 'deadline'>

/** The clinical FHIR backend, called on behalf of a user. */
export interface ClinicalBackend {
  /** Base URL without a trailing slash. */
  readonly base: string
  /**
   * Sends a request with the caller's token and no other data of the caller or the current request.
   * @param path the path below the base.
   * @throws Problem `clinical-backend-unavailable`, at once when the caller's time is up.
   */
  request(call: BackendCall, path: string, request?: Omit<UpstreamRequest, 'url'>): Promise<UpstreamResponse>
  /** Whether the circuit is open, so that requests fail at once. */
  isCircuitOpen(): boolean
  close(): Promise<void>
}

export interface BackendOptions {
  slots: Slots
  /** Time limit in ms of each of the two attempts. */
  timeoutMs?: number | undefined
  /** After repeated failures no request is sent for this many ms. */
  circuitOpenMs?: number | undefined
  /** Logs when the backend stops responding, and when it responds again. */
  log?: Log | undefined
}

/** A consent may contain a scanned document. */
const MAX_RESPONSE_BYTES = 4 * 1_048_576

export function createClinicalBackendClient(
  base: string,
  { slots, timeoutMs = 3000, circuitOpenMs = 10_000, log }: BackendOptions
): ClinicalBackend {
  const client = createHttpClient({
    name: 'clinical',
    slots,
    timeoutMs,
    circuitOpenMs,
    maxResponseBytes: MAX_RESPONSE_BYTES,
    onCircuitChange: (isCircuitOpen) =>
      isCircuitOpen
        ? log?.warn(logLine('The clinical backend does not respond. Requests that need it are rejected.'))
        : log?.info(logLine('The clinical backend responds again.'))
  })
  return {
    base,
    async request({ caller, deadline }, path, { headers, ...request } = {}) {
      const upstream = {
        ...request,
        url: `${base}${path}`,
        headers: { ...headers, authorization: `Bearer ${caller.token}` }
      }
      try {
        return await client.request(upstream, deadline.signal, slotOwnerOf(caller))
      } catch (cause) {
        throw cause instanceof UpstreamUnavailable ? unavailable(cause) : cause
      }
    },
    isCircuitOpen: client.isOpen,
    close: client.close
  }
}

/**
 * The problem of a response that is not FHIR or has an unexpected status. The code is for the log.
 */
export const unusableResponse = (code: string): Problem => unavailable(new UpstreamUnavailable(code, 10))

const unavailable = (cause: UpstreamUnavailable) =>
  clinicalProblem('clinical-backend-unavailable', null, null, {
    headers: { 'retry-after': String(cause.retryAfter) },
    cause
  })
