import { UpstreamUnavailable } from '../platform/http-client/errors.js'
import type { UpstreamResponse } from '../platform/http-client/single-attempt.js'

export interface CodeQuery {
  /** Canonical URL of the value set. */
  url: string
  system: string
  code: string
}

export interface CodeValidation {
  valid: boolean
  display: string | null
}

/**
 * The server responded, but the response does not state whether the code is valid. The message is
 * for the log.
 */
export class InconclusiveValidation extends Error {
  override readonly name = 'InconclusiveValidation'
}

/** Whether the code could not be validated. Any other error is a bug. */
export const isValidationUnavailable = (
  cause: unknown
): cause is InconclusiveValidation | UpstreamUnavailable =>
  cause instanceof InconclusiveValidation || cause instanceof UpstreamUnavailable

/**
 * Reads the response of `ValueSet/$validate-code`
 * (https://hl7.org/fhir/R4/valueset-operation-validate-code.html). A missing value set differs from
 * a code that is not in the set, although some servers return `result: false` for both.
 * @param isKnownSystem the value set is known to contain codes of the system, so a server without
 *   the system is incomplete.
 * @throws InconclusiveValidation
 */
export function codeValidationOf(
  { status, body }: UpstreamResponse,
  { url, system }: CodeQuery,
  isKnownSystem: boolean
): CodeValidation {
  const { resourceType, parameter } = asObject(body)
  const isParameters = resourceType === 'Parameters'
  const result =
    isParameters && status < 300 ? parameterValue(parameter, 'result', 'valueBoolean') : undefined
  if (result === true) return { valid: true, display: displayOf(parameter) }
  const outcome = isParameters ? parameterResource(parameter, 'issues') : body
  if (lacks(outcome, url) || isUnusable(parameter, url))
    throw new InconclusiveValidation(`The server does not have the value set ${url}.`)
  if (lacks(outcome, system)) {
    if (isKnownSystem) throw new InconclusiveValidation(`The server does not have the code system ${system}.`)
    return { valid: false, display: null }
  }
  if (result === false) return { valid: false, display: null }
  throw new InconclusiveValidation(
    status < 300
      ? 'The response has no Parameters with a result.'
      : `The server rejected the request with status ${status}.`
  )
}

/** The message of HAPI FHIR, with `result: false`, for a missing value set. */
const isUnusable = (parameter: unknown, url: string) =>
  String(parameterValue(parameter, 'message', 'valueString')).includes(`unusable ValueSet[${url}`)

/** Whether an OperationOutcome reports that a resource with this URL was not found. */
function lacks(outcome: unknown, url: string): boolean {
  const { issue } = asObject(outcome)
  return asArray(issue).some((each) => {
    const { code, details, diagnostics } = asObject(each)
    const texts = [asObject(details).text, diagnostics].filter((text) => typeof text === 'string')
    return code === 'not-found' && texts.some((text) => mentions(text, url))
  })
}

/** Whether a text contains the whole URL, not only as the prefix of a longer one. */
function mentions(text: string, url: string): boolean {
  return text
    .split(url)
    .slice(1)
    .some((after) => !/^[\w/.~%#-]*\w/.test(after))
}

/** Longer displays are ignored. */
const MAX_DISPLAY_LENGTH = 4000

/** The display, or null if it is missing, too long or contains text that PostgreSQL rejects. */
function displayOf(parameter: unknown): string | null {
  const display = parameterValue(parameter, 'display', 'valueString')
  if (typeof display !== 'string' || display === '' || display.length > MAX_DISPLAY_LENGTH) return null
  return display.isWellFormed() && !display.includes('\0') ? display : null
}

const asObject = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
const asArray = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

const parameterOf = (parameter: unknown, name: string) =>
  asArray(parameter)
    .map(asObject)
    .find((each) => each.name === name)
const parameterValue = (parameter: unknown, name: string, member: string) =>
  parameterOf(parameter, name)?.[member]
const parameterResource = (parameter: unknown, name: string) => parameterOf(parameter, name)?.resource
