import { inEachLanguage, type Words } from './language.js'
import { platformProblems } from './platform-problems.js'

/** A validation error of one field. */
export interface FieldError {
  /** RFC 6901 pointer into the request body. */
  pointer: string
  code: string
  detail: Words
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

/** What a problem is, and what the caller can do. */
export type ProblemType = readonly [status: number, title: Words, remedy: Words]

/** The problems of a module, by their stable code. */
export type ProblemTable = Readonly<Record<string, ProblemType>>

/**
 * The error that use cases throw. `detail` (RFC 9457) is for the caller and must not contain
 * patient data; `message` is the English one. `cause` is for the log.
 */
export class Problem extends Error {
  override readonly name = 'Problem'
  readonly errors: readonly FieldError[]
  readonly headers: Readonly<Record<string, string>>
  readonly members: Readonly<Record<string, unknown>>

  constructor(
    readonly status: number,
    readonly code: string,
    readonly title: Words,
    readonly detail: Words,
    options: ProblemOptions = {}
  ) {
    super(detail.en, { cause: options.cause })
    this.errors = options.errors ?? []
    this.headers = { ...(RETRYABLE.includes(status) && RETRY_SOON), ...options.headers }
    this.members = options.members ?? {}
  }
}

export type MakeProblem<C extends string> = (code: C, detail?: Words, options?: ProblemOptions) => Problem

/**
 * Makes the factory of a module's problems: `throw orderProblem('illegal-transition', detail)`. By
 * default the detail is the remedy of the code.
 */
export function problemsOf<T extends ProblemTable>(table: T): MakeProblem<keyof T & string> {
  return (code, detail, options) => {
    const [status, title, remedy] = table[code] as ProblemType
    return new Problem(status, code, title, detail ?? remedy, options)
  }
}

/** Problems of violated database constraints, by the name of the constraint. */
export type ConstraintProblems = Readonly<Record<string, () => Problem>>

/** Makes the problems that any resource may have. */
export const problem = problemsOf(platformProblems)

/** The problem of a query parameter. The texts follow its name, without a full stop. */
export function queryProblem(parameter: string, text: Words): Problem {
  const named: Words = {
    en: `Query parameter ${parameter} ${text.en}.`,
    da: `Parameteren ${parameter} ${text.da}.`
  }
  const detail: Words = { en: `It ${text.en}.`, da: `Det ${text.da}.` }
  return problem('invalid-query', named, {
    errors: [{ pointer: `/${parameter}`, code: 'invalid-query', detail }]
  })
}

/**
 * Runs a parser for each of several query parameters.
 * @throws Problem with the errors of all of them.
 */
export function parseEach<E, T>(parameters: readonly E[], parse: (parameter: E) => T): T[] {
  const faults: Problem[] = []
  const parsed = parameters.flatMap((each) => {
    try {
      return [parse(each)]
    } catch (error) {
      if (!(error instanceof Problem && error.code === 'invalid-query')) throw error
      faults.push(error)
      return []
    }
  })
  if (faults.length === 0) return parsed
  throw joinQueryProblems(faults)
}

/**
 * Runs several parsers of query parameters, and returns what each returns.
 * @throws Problem with the errors of all of them.
 */
export const parseTogether = <const T extends readonly (() => unknown)[]>(...parsers: T) =>
  parseEach(parsers, (parse) => parse()) as { [K in keyof T]: ReturnType<T[K]> }

/** The problem of several problems of query parameters. */
export function joinQueryProblems(faults: readonly Problem[]): Problem {
  const detail = inEachLanguage((language) => faults.map((each) => each.detail[language]).join(' '))
  return problem('invalid-query', detail, { errors: faults.flatMap(({ errors }) => errors) })
}

/** Makes a problem with one field error, whose detail is the detail of the problem as well. */
export function fieldProblem<C extends string>(
  make: MakeProblem<C>,
  code: C,
  pointer: string,
  detail?: Words
): Problem {
  const { detail: words } = make(code, detail)
  return make(code, words, { errors: [{ pointer, code, detail: words }] })
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
    detail?: Words,
    resource?: FaultyResource
  ): void {
    const error = { pointer, code, detail: make(code, detail).detail, ...(resource && { resource }) }
    this.#errors.push({ ...error, make: make as MakeProblem<string> })
  }

  /** Adds a reference to a resource that does not exist for the caller. */
  addUnresolvedReference(pointer: string, detail: Words): void {
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
