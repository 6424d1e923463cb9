import {
  fillAny,
  inEachLanguage,
  type LocalizedText,
  type Placeholder,
  type PlaceholderValue,
  type PlaceholderValues,
  type ProblemTable,
  type ProblemTexts,
  type Texts
} from './language.js'
import { platformProblems } from './texts.js'

export type { ProblemTable, ProblemTexts }

export interface FieldError {
  /** RFC 6901 pointer into the request body. */
  pointer: string
  code: string
  detail: LocalizedText
  /** The resource with the invalid member, if it is not the resource in the body. */
  resource?: FaultyResource
}

/** A stored resource because of which a request is rejected. */
export interface FaultyResource {
  url: string
  pointer: string
}

export interface ProblemOptions {
  /** The stored resource because of which the member at the pointer is rejected. */
  resource?: FaultyResource
  errors?: readonly FieldError[]
  members?: Readonly<Record<string, unknown>>
  /** Response headers, such as `Allow`. A 429 and a 503 have `Retry-After: 5` by default. */
  headers?: Readonly<Record<string, string>>
  /** The cause, for the log only. */
  cause?: unknown
}

/** Statuses of requests that may succeed later. */
const RETRYABLE: readonly number[] = [429, 503]
const RETRY_SOON = { 'retry-after': '5' }

/**
 * The error that use cases throw. `detail` (RFC 9457) is for the caller, and must not contain
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
    readonly title: LocalizedText,
    readonly detail: LocalizedText,
    options: ProblemOptions = {}
  ) {
    super(detail.en, { cause: options.cause })
    this.errors = options.errors ?? []
    this.headers = { ...(RETRYABLE.includes(status) && RETRY_SOON), ...options.headers }
    this.members = options.members ?? {}
  }
}

/** The name of a text of a table: `<code>`, or `<code>.<name of a detail>`. */
type TextName<T extends ProblemTable> = {
  [C in keyof T & string]: C | `${C}.${keyof NonNullable<T[C]['details']> & string}`
}[keyof T & string]

type TextNamed<T extends ProblemTable, N extends string> = N extends `${infer C}.${infer D}`
  ? NonNullable<T[C]['details']>[D]
  : T[N]['remedy']

/**
 * The pointer of a problem, and the values of its text, which are required if the text has
 * placeholders.
 */
type Rest<W extends LocalizedText> = [Placeholder<W>] extends [never]
  ? [pointer?: string | null, values?: null, options?: ProblemOptions]
  : [pointer: string | null, values: PlaceholderValues<W>, options?: ProblemOptions]

/**
 * Makes a problem.
 * @param name the code, or the code and the name of a detail: `order-closed.priority`.
 * @param pointer RFC 6901 pointer to the invalid member, which the detail then names. Null: the
 *   whole request.
 */
export type MakeProblem<T extends ProblemTable> = <N extends TextName<T>>(
  name: N,
  ...rest: Rest<TextNamed<T, N>>
) => Problem

/**
 * `const orderProblem = problemsOf(…)`, `throw orderProblem('order-closed', '/priority', { status
 * })`.
 */
export function problemsOf<const T extends ProblemTable>(table: T): MakeProblem<T> {
  return (
    name: string,
    pointer?: string | null,
    values?: Readonly<Record<string, PlaceholderValue>> | null,
    options?: ProblemOptions
  ) => {
    const [code = '', key] = name.split('.')
    const { status, title, remedy, details } = table[code] as ProblemTexts
    const text = key === undefined ? remedy : (details?.[key] as LocalizedText)
    const detail = values ? fillAny(text, values) : text
    if (pointer == null) return new Problem(status, code, title, detail, options)
    const { resource } = options ?? {}
    const located = resource ? atMember(resource.url, detail) : detail
    const error = { pointer, code, detail: located, ...(resource && { resource }) }
    return new Problem(status, code, title, atMember(pointer, located), { ...options, errors: [error] })
  }
}

type PlatformProblems = typeof platformProblems
type WithDetails<D> = {
  readonly [C in keyof D & keyof PlatformProblems]: Omit<PlatformProblems[C], 'details'> & {
    readonly details: D[C]
  }
}

/** Problems of the platform with details of a module, for the module's table. */
export const withDetails = <const D extends { readonly [C in keyof PlatformProblems]?: Texts }>(details: D) =>
  Object.fromEntries(
    Object.entries(details).map(([code, texts]) => [
      code,
      { ...platformProblems[code as keyof PlatformProblems], details: texts }
    ])
  ) as unknown as WithDetails<D>

/** A text that names the invalid member. */
export const atMember = (pointer: string, detail: LocalizedText): LocalizedText =>
  pointer === '' ? detail : inEachLanguage((language) => `${pointer}: ${detail[language]}`)

/** Problems of violated database constraints, by the name of the constraint. */
export type ConstraintProblems = Readonly<Record<string, () => Problem>>

export const problem = problemsOf(platformProblems)
