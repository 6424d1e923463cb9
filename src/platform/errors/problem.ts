/** A validation error of one field. */
export interface FieldError {
  /** RFC 6901 pointer into the request body. */
  pointer: string
  code: string
  detail: string
  /** The resource with the fault, if it is not the one in the body. */
  resource?: FaultyResource
}

/** A stored resource because of which a request is refused. */
export interface FaultyResource {
  url: string
  /** RFC 6901 pointer into the resource. */
  pointer: string
}

export interface ProblemOptions {
  /** The invalid fields, for the caller. */
  errors?: readonly FieldError[]
  /** Further members of the response body. */
  members?: Readonly<Record<string, unknown>>
  /** Response headers, such as `Allow`. A 429 and a 503 have `Retry-After: 5` by default. */
  headers?: Readonly<Record<string, string>>
  /** The cause, for the log only. */
  cause?: unknown
}

/** Statuses of requests that may succeed later. */
const RETRYABLE: readonly number[] = [429, 503]
const RETRY_SOON = { 'retry-after': '5' }

/** Statuses and titles of a module's problems, by their stable code. */
export type ProblemTable = Readonly<Record<string, readonly [status: number, title: string]>>

/**
 * The error that use cases throw. `message` (`detail` of RFC 9457) is for the caller and must not
 * contain patient data. `cause` is for the log.
 */
export class Problem extends Error {
  override readonly name = 'Problem'
  readonly errors: readonly FieldError[]
  readonly headers: Readonly<Record<string, string>>
  readonly members: Readonly<Record<string, unknown>>

  constructor(
    readonly status: number,
    readonly code: string,
    readonly title: string,
    detail: string,
    options: ProblemOptions = {}
  ) {
    super(detail, { cause: options.cause })
    this.errors = options.errors ?? []
    this.headers = { ...(RETRYABLE.includes(status) && RETRY_SOON), ...options.headers }
    this.members = options.members ?? {}
  }
}

export type MakeProblem<C extends string> = (code: C, detail: string, options?: ProblemOptions) => Problem

/** Makes the factory of a module's problems: `throw orderProblem('illegal-transition', detail)`. */
export function problemsOf<T extends ProblemTable>(table: T): MakeProblem<keyof T & string> {
  return (code, detail, options) => {
    const [status, title] = table[code] as readonly [number, string]
    return new Problem(status, code, title, detail, options)
  }
}

/** Problems of violated database constraints, by the name of the constraint. */
export type ConstraintProblems = Readonly<Record<string, () => Problem>>

/** The problems that any resource may have. */
export const platformProblems = {
  'malformed-json': [400, 'Malformed JSON body'],
  'malformed-text': [400, 'The request contains text that cannot be stored'],
  'invalid-body': [400, 'The body does not match its schema'],
  'invalid-query': [400, 'Invalid query parameter'],
  'conflicting-ids': [400, 'The ids in path and body differ'],
  'invalid-idempotency-key': [400, 'The Idempotency-Key cannot be used'],
  'bad-request': [400, 'Malformed request'],
  'incomplete-request': [400, 'Incomplete request'],
  unauthorized: [401, 'Missing or invalid token'],
  forbidden: [403, 'The token does not allow this operation'],
  'not-found': [404, 'Resource not found'],
  'method-not-allowed': [405, 'Method not allowed for this URL'],
  'request-timeout': [408, 'The request took too long to arrive'],
  'failed-test': [409, 'A test operation of the JSON Patch failed'],
  'precondition-failed': [412, 'The resource is not as If-Match expects'],
  'payload-too-large': [413, 'The body is larger than allowed'],
  'query-too-long': [414, 'The query string is longer than allowed'],
  'unsupported-media-type': [415, 'Unsupported media type'],
  'expectation-failed': [417, 'Unsupported Expect header'],
  'too-many-requests': [429, 'Too many requests'],
  'headers-too-large': [431, 'The headers are larger than allowed'],
  'idempotency-key-reused': [422, 'Another request had this Idempotency-Key'],
  'dangling-reference': [422, 'The referenced resource does not exist or cannot be used'],
  'invalid-period': [422, 'A period must be complete and in order'],
  'unknown-coding': [422, 'Code not in its value set'],
  'unpatchable-target': [422, 'The target of a JSON Patch operation does not exist'],
  'read-only': [422, 'The JSON Patch changes a read-only member'],
  'invalid-result': [422, 'The result of the JSON Patch is not valid'],
  'internal-error': [500, 'Internal error'],
  'not-implemented': [501, 'Unsupported HTTP feature'],
  'database-unavailable': [503, 'The database does not respond'],
  busy: [503, 'Server busy'],
  'outcome-unknown': [503, 'Unknown whether the change was written'],
  'token-issuer-unavailable': [503, 'The token cannot be verified at the moment'],
  'http-version-not-supported': [505, 'Unsupported HTTP version']
} as const satisfies ProblemTable

export const problem = problemsOf(platformProblems)

/** Makes a problem with one field error, whose detail is the detail of the problem as well. */
export function fieldProblem<C extends string>(
  make: MakeProblem<C>,
  code: C,
  pointer: string,
  detail: string
): Problem {
  return make(code, detail, { errors: [{ pointer, code, detail }] })
}

/** Maximum field errors of a response. */
const MAX_REPORTED_ERRORS = 1000

/** Collects the field errors of a request, to report all of them at once. */
export class FieldErrors {
  readonly #errors: (FieldError & { make: MakeProblem<string> })[] = []

  add<C extends string>(
    make: MakeProblem<C>,
    code: C,
    pointer: string,
    detail: string,
    resource?: FaultyResource
  ): void {
    const error = { pointer, code, detail, ...(resource && { resource }) }
    this.#errors.push({ ...error, make: make as MakeProblem<string> })
  }

  /** Adds a reference to a resource that does not exist for the caller. */
  addUnresolvedReference(pointer: string, detail: string): void {
    this.add(problem, 'dangling-reference', pointer, detail)
  }

  /** Adds all errors of another collection. */
  append(others: FieldErrors): void {
    this.#errors.push(...others.#errors)
  }

  get all(): readonly FieldError[] {
    return this.#errors
  }

  /** @throws Problem with the code of the first error and the `errors`, if there are any. */
  check(): void {
    const [first] = this.#errors
    if (!first) return
    const errors = this.#errors.slice(0, MAX_REPORTED_ERRORS).map(({ make, ...error }) => error)
    throw first.make(first.code, first.detail, { errors })
  }
}
