import { createHttpClient } from '../platform/http-client/client.js'
import { Aborted, type RemoteUnavailable } from '../platform/http-client/errors.js'
import { type Log, logLine } from '../platform/logging/log-line.js'
import {
  type CodeValidation,
  codeValidationOf,
  NoValidation,
  type Question,
  validationUnavailable
} from './code-validation.js'
import { terminologyProblem } from './problems.js'
import { cacheValidations, type MemorySpans } from './validation-cache.js'

/** A terminology server: the one of a site, that says what is in its value sets. */
export interface TerminologyServer {
  /**
   * Whether a coding is in a value set, from memory where that is recent enough.
   * @throws Problem `terminology-unavailable` when that cannot be told, at once when the patience is over.
   */
  judge(question: Question, isKnownSystem: boolean, patience: AbortSignal): Promise<CodeValidation>
  close(): Promise<void>
}

export interface TerminologyServerOptions {
  /** Base of its FHIR R4 addresses. */
  url: string
  /** Milliseconds that an attempt may take. */
  timeoutMs: number
  /** Milliseconds for which it is left alone after it has repeatedly given no answer. */
  circuitOpenMs: number
  log: Log
  spans?: MemorySpans
}

/** Questions that may be under way at once. */
const MAX_CONNECTIONS = 16
/** Seconds after which a caller may try again where the server's own configuration is at fault. */
const retryLater = 60

export function createTerminologyServer({
  url,
  timeoutMs,
  circuitOpenMs,
  log,
  spans
}: TerminologyServerOptions): TerminologyServer {
  const remote = createHttpClient({
    timeoutMs,
    maxConnections: MAX_CONNECTIONS,
    circuitOpenMs,
    onCircuitChange: (isOpen) =>
      isOpen
        ? log.warn(
            logLine(
              'The terminology server does not answer. Codings that it knew lately are taken from memory.'
            )
          )
        : log.info(logLine('The terminology server answers again.'))
  })
  const complain = onceAMinute((reason) =>
    log.warn(logLine('The terminology server cannot judge a coding.', { reason }))
  )

  const judge = cacheValidations(async (question, isKnownSystem, wanted) => {
    const request = {
      url: `${url}/ValueSet/$validate-code`,
      method: 'POST',
      headers: { 'content-type': 'application/fhir+json' },
      body: JSON.stringify(parametersOf(question))
    } as const
    return codeValidationOf(await remote.request(request, wanted), question, isKnownSystem)
  }, spans)

  return {
    async judge(question, isKnownSystem, patience) {
      try {
        return await judge(question, isKnownSystem, patience)
      } catch (cause) {
        if (!validationUnavailable(cause)) throw cause
        if (cause instanceof NoValidation) complain(cause.message)
        throw unavailable(cause)
      }
    },
    close: remote.close
  }
}

/** POST, since some codes and systems are too long for an address, and addresses are logged on the way. */
const parametersOf = ({ url, system, code }: Question) => ({
  resourceType: 'Parameters',
  parameter: [
    { name: 'url', valueUri: url },
    { name: 'system', valueUri: system },
    { name: 'code', valueCode: code }
  ]
})

function unavailable(cause: NoValidation | RemoteUnavailable) {
  const retryAfter = cause instanceof NoValidation ? retryLater : cause.retryAfter
  return terminologyProblem(
    'terminology-unavailable',
    cause instanceof Aborted
      ? 'The terminology server has not answered all questions in time. Nothing was written. Try again: what it has answered is remembered.'
      : 'The terminology server cannot tell whether a code is legal. Nothing was written; try again later.',
    { cause, headers: { 'retry-after': String(retryAfter) } }
  )
}

/** Says each thing once a minute at most: a bulk create raises the same complaint for each of its codes. */
function onceAMinute(say: (text: string) => void): (text: string) => void {
  const said = new Map<string, number>()
  return (text) => {
    const now = Date.now()
    if (now - (said.get(text) ?? 0) < 60_000) return
    if (said.size > 100) said.clear()
    said.set(text, now)
    say(text)
  }
}
