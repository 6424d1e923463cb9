import type { UpstreamResponse } from '../platform/http-client/client.js'
import { RemoteUnavailable } from '../platform/http-client/errors.js'

/** Whether a coding is in a value set, of which a terminology server has this to say. */
export interface Question {
  /** Canonical address of the value set. */
  url: string
  system: string
  code: string
}

export interface CodeValidation {
  legal: boolean
  /** What the server calls the code; null where it does not say. */
  display: string | null
}

/** The server answered, but whether the coding is legal cannot be told from it. The message is for the log. */
export class NoValidation extends Error {
  override readonly name = 'NoVerdict'
}

/** Whether this is why it cannot be told if a coding is legal; anything else that is thrown is a bug. */
export const validationUnavailable = (cause: unknown): cause is NoValidation | RemoteUnavailable =>
  cause instanceof NoValidation || cause instanceof RemoteUnavailable

/**
 * Reads the answer to `ValueSet/$validate-code` (https://hl7.org/fhir/R4/valueset-operation-validate-code.html). Not to have the
 * value set is another thing than not to find the code in it, although some servers answer `result: false` to both.
 * @param isKnownSystem whether the value set is known to have codes of the system, so that a server without it is incomplete.
 * @throws NoVerdict
 */
export function codeValidationOf(
  { status, body }: UpstreamResponse,
  { url, system }: Question,
  isKnownSystem: boolean
): CodeValidation {
  const { resourceType, parameter } = membersOf(body)
  const isParameters = resourceType === 'Parameters'
  const result = isParameters && status < 300 ? valueIn(parameter, 'result', 'valueBoolean') : undefined
  if (result === true) return { legal: true, display: displayIn(parameter) }
  const outcome = isParameters ? resourceIn(parameter, 'issues') : body
  if (lacks(outcome, url) || isUnusable(parameter, url))
    throw new NoValidation(`The server does not have the value set ${url}.`)
  if (lacks(outcome, system)) {
    if (isKnownSystem) throw new NoValidation(`The server does not have the code system ${system}.`)
    return { legal: false, display: null }
  }
  if (result === false) return { legal: false, display: null }
  throw new NoValidation(
    status < 300
      ? 'The server answered no Parameters with a result.'
      : `The server refused the question with ${status}.`
  )
}

/** So says HAPI FHIR, with `result: false`, of a value set that it does not have. */
const isUnusable = (parameter: unknown, url: string) =>
  String(valueIn(parameter, 'message', 'valueString')).includes(`unusable ValueSet[${url}`)

/** Whether an OperationOutcome says that something of this address was not found. */
function lacks(outcome: unknown, address: string): boolean {
  const { issue } = membersOf(outcome)
  return listOf(issue).some((each) => {
    const { code, details, diagnostics } = membersOf(each)
    const texts = [membersOf(details).text, diagnostics].filter((text) => typeof text === 'string')
    return code === 'not-found' && texts.some((text) => mentions(text, address))
  })
}

/** Whether a text holds an address as a whole, not as the beginning of a longer one. */
function mentions(text: string, address: string): boolean {
  return text
    .split(address)
    .slice(1)
    .some((after) => !/^[\w/.~%#-]*\w/.test(after))
}

/** A display that can be kept: neither longer than a text may be, nor with what PostgreSQL does not take. */
function displayIn(parameter: unknown): string | null {
  const display = valueIn(parameter, 'display', 'valueString')
  if (typeof display !== 'string' || display === '' || display.length > 4000) return null
  return display.isWellFormed() && !display.includes('\0') ? display : null
}

const membersOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

const named = (parameter: unknown, name: string) =>
  listOf(parameter)
    .map(membersOf)
    .find((each) => each.name === name)
const valueIn = (parameter: unknown, name: string, member: string) => named(parameter, name)?.[member]
const resourceIn = (parameter: unknown, name: string) => named(parameter, name)?.resource
