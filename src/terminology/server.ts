import { LRUCache } from 'lru-cache'
import type { Slots } from '../platform/concurrency/slots.js'
import { createHttpClient } from '../platform/http-client/client.js'
import type { UpstreamUnavailable } from '../platform/http-client/errors.js'
import { type Log, logLine } from '../platform/logging/log-line.js'
import {
  type CodeQuery,
  codeValidationOf,
  InconclusiveValidation,
  isValidationUnavailable
} from './code-validation.js'
import { terminologyProblem } from './texts.js'
import { cacheValidations, type ValidateCode } from './validation-cache.js'

/** The terminology server of a site. The server validates codes against its value sets. */
export interface TerminologyServer {
  /**
   * Validates a code against a value set, from the cache if possible.
   * @param owner the caller on whose behalf the code is validated.
   * @throws Problem `terminology-unavailable` if the code cannot be validated, at once when the
   *   signal aborts.
   */
  validate: ValidateCode
  /** Whether the circuit is open after repeated failures. */
  isCircuitOpen(): boolean
  close(): Promise<void>
}

export interface TerminologyServerOptions {
  /** Base URL of its FHIR R4 API. */
  url: string
  /** Time limit of an attempt in ms. */
  timeoutMs: number
  /** After repeated failures no request is sent for this many ms. */
  circuitOpenMs: number
  slots: Slots
  log: Log
}

/** Minimum milliseconds between two equal warnings. */
const WARNING_INTERVAL_MS = 60_000
/** `Retry-After` when the server's configuration must be fixed first, in seconds. */
const CONFIGURATION_RETRY_S = 60

export function createTerminologyServer({
  url,
  timeoutMs,
  circuitOpenMs,
  slots,
  log
}: TerminologyServerOptions): TerminologyServer {
  const client = createHttpClient({
    name: 'terminology',
    timeoutMs,
    slots,
    circuitOpenMs,
    onCircuitChange: (isCircuitOpen) =>
      isCircuitOpen
        ? log.warn(
            logLine(
              'The terminology server does not respond. Codes that it validated recently are taken from the cache.'
            )
          )
        : log.info(logLine('The terminology server responds again.'))
  })
  // A bulk create causes the same warning for each of its codes.
  const warned = new LRUCache<string, true>({ max: 100, ttl: WARNING_INTERVAL_MS })
  const warn = (reason: string) => {
    if (warned.has(reason)) return
    warned.set(reason, true)
    log.warn(logLine('The terminology server cannot validate a code.', { reason }))
  }

  const validate = cacheValidations(async (query, isKnownSystem, signal, owner) => {
    const request = {
      url: `${url}/ValueSet/$validate-code`,
      method: 'POST',
      headers: { 'content-type': 'application/fhir+json' },
      body: JSON.stringify(parametersOf(query))
    } as const
    return codeValidationOf(await client.request(request, signal, owner), query, isKnownSystem)
  })

  return {
    async validate(...asked) {
      try {
        return await validate(...asked)
      } catch (cause) {
        if (!isValidationUnavailable(cause)) throw cause
        if (cause instanceof InconclusiveValidation) warn(cause.message)
        throw unavailable(cause)
      }
    },
    isCircuitOpen: client.isOpen,
    close: client.close
  }
}

/**
 * The parameters of a POST, because a URL limits the length of codes and systems, and proxies log
 * URLs.
 */
const parametersOf = ({ url, system, code }: CodeQuery) => ({
  resourceType: 'Parameters',
  parameter: [
    { name: 'url', valueUri: url },
    { name: 'system', valueUri: system },
    { name: 'code', valueCode: code }
  ]
})

function unavailable(cause: InconclusiveValidation | UpstreamUnavailable) {
  const retryAfter = cause instanceof InconclusiveValidation ? CONFIGURATION_RETRY_S : cause.retryAfter
  return terminologyProblem('terminology-unavailable', null, null, {
    cause,
    headers: { 'retry-after': String(retryAfter) }
  })
}
