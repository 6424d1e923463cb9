/** One thing wrong with one field: where (RFC 6901 pointer into the request body), which rule, and what to do. */
export interface FieldError {
  pointer: string
  code: string
  detail: string
}

export interface ProblemOptions {
  /** The faulty fields, for the caller. */
  errors?: readonly FieldError[]
  /** Further members of the answer's body. */
  members?: Readonly<Record<string, unknown>>
  /** Headers of the answer, such as `Allow` or `Retry-After`. */
  headers?: Readonly<Record<string, string>>
  /** The private cause: for the log, never for the caller. */
  cause?: unknown
}

/** Statuses and titles of a module's problems, by their stable code. */
export type ProblemTable = Readonly<Record<string, readonly [status: number, title: string]>>

/**
 * The one error that use cases throw. `message` (the `detail` of RFC 9457) is for the caller and must hold no
 * patient data; `cause` is for the log.
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
    this.headers = options.headers ?? {}
    this.members = options.members ?? {}
  }
}

export type MakeProblem<C extends string> = (code: C, detail: string, options?: ProblemOptions) => Problem

/** Makes the constructor of a module's problems: `throw orderProblem('illegal-transition', 'what to do')`. */
export function problemsOf<T extends ProblemTable>(table: T): MakeProblem<keyof T & string> {
  return (code, detail, options) => {
    const [status, title] = table[code] as readonly [number, string]
    return new Problem(status, code, title, detail, options)
  }
}

/** What a violated constraint of the database means to a caller, by the constraint's name. */
export type ConstraintProblems = Readonly<Record<string, () => Problem>>

/** The problems that the platform itself raises, whatever the resource. */
export const platformProblems = {
  'malformed-json': [400, 'The body is not JSON as it should be'],
  'malformed-text': [400, 'The request holds text that cannot be stored'],
  'invalid-body': [400, 'The body does not have the form that is asked for'],
  'invalid-query': [400, 'The query does not have the form that is asked for'],
  'conflicting-ids': [400, 'The id in the body is not the id in the path'],
  'bad-request': [400, 'The request cannot be understood'],
  'incomplete-request': [400, 'The request did not arrive completely'],
  unauthorized: [401, 'A valid security token is needed'],
  forbidden: [403, 'The token does not allow this operation'],
  'not-found': [404, 'There is nothing here'],
  'method-not-allowed': [405, 'The address does not know this method'],
  'request-timeout': [408, 'The request took too long to arrive'],
  'failed-test': [409, 'A test operation of the JSON Patch failed'],
  'payload-too-large': [413, 'The body is larger than allowed'],
  'query-too-long': [414, 'The query string is longer than allowed'],
  'unsupported-media-type': [415, 'The media type is not understood'],
  'expectation-failed': [417, 'The expectation cannot be met'],
  'too-many-requests': [429, 'Too many requests in too short a time'],
  'headers-too-large': [431, 'The headers are larger than allowed'],
  'dangling-reference': [422, 'A reference leads to nothing that can be used here'],
  'unknown-coding': [422, 'A code is not in its value set'],
  'unpatchable-target': [422, 'The JSON Patch names something that is not there'],
  'read-only': [422, 'The JSON Patch changes something that cannot be changed'],
  'invalid-result': [422, 'The JSON Patch would leave something that is not valid'],
  'internal-error': [500, 'Something went wrong here'],
  'not-implemented': [501, 'The server does not support this part of HTTP'],
  'database-unavailable': [503, 'The database does not answer'],
  busy: [503, 'Too much is happening at once'],
  'outcome-unknown': [503, 'Whether it was written cannot be told'],
  'token-issuer-unavailable': [503, 'The token cannot be verified at the moment'],
  'http-version-not-supported': [505, 'The HTTP version is not supported']
} as const satisfies ProblemTable

export const problem = problemsOf(platformProblems)

/** A problem with one field: its detail stands for the whole and at the field. */
export function fieldProblem<C extends string>(
  make: MakeProblem<C>,
  code: C,
  pointer: string,
  detail: string
): Problem {
  return make(code, detail, { errors: [{ pointer, code, detail }] })
}

/** Gathers the faults of a request's fields, so that the caller learns of all of them at once. */
export class FieldErrors {
  readonly #faults: (FieldError & { make: MakeProblem<string> })[] = []

  add<C extends string>(make: MakeProblem<C>, code: C, pointer: string, detail: string): void {
    this.#faults.push({ pointer, code, detail, make: make as MakeProblem<string> })
  }

  /** Adds the fault of a reference that leads to nothing that the caller can use. */
  addUnresolvedReference(pointer: string, detail: string): void {
    this.add(problem, 'dangling-reference', pointer, detail)
  }

  /** Adds the faults that were gathered elsewhere. */
  append(others: FieldErrors): void {
    this.#faults.push(...others.#faults)
  }

  get all(): readonly FieldError[] {
    return this.#faults
  }

  /** @throws Problem with the code of the first fault and all faults in `errors`, when there is any. */
  check(): void {
    const [first] = this.#faults
    if (!first) return
    const errors = this.#faults.slice(0, 1000).map(({ pointer, code, detail }) => ({ pointer, code, detail }))
    throw first.make(first.code, first.detail, { errors })
  }
}
