import { NoResponseError, ProblemError } from '../../clients/typescript/src/index.js'
import { NoTokenError } from './calls.js'
import { type Language, language } from './language.js'
import { partsText } from './parts-texts.js'
import { dateText, timeText } from './texts.js'

/**
 * The language in which the server wrote problems: the language of the page when it showed them.
 */
const languages = new WeakMap<ProblemError, Language>()

function isReadable(problem: ProblemError): boolean {
  if (!languages.has(problem)) languages.set(problem, language.get())
  return languages.get(problem) === language.get()
}

/** Whether a change was rejected because another user changed the same resource in the meantime. */
export const isConflict = (error: unknown): boolean =>
  error instanceof ProblemError && ['precondition-failed', 'failed-test'].includes(error.code)

/** The text for an error, in the language of the page. */
export function errorText(error: unknown): string {
  if (error instanceof NoTokenError) return partsText('noToken')
  if (error instanceof NoResponseError)
    return partsText(error.status === undefined ? 'noResponse' : 'badResponse')
  if (isConflict(error)) return partsText('conflict')
  if (error instanceof ProblemError)
    return isReadable(error)
      ? `${error.problem.title}. ${inWords(error.problem.detail)}`
      : partsText('otherLanguage')
  // An error of the page itself.
  console.error(error)
  return partsText('badResponse')
}

/**
 * A text of the server without the parts that only programs read: sentences about JSON, URLs and
 * pointers. Dates are in the form of the page's language.
 */
const inWords = (text: string): string =>
  text
    .split(/(?<=[.!?]) /)
    .filter((sentence) => !/JSON|\bPATCH\b/.test(sentence))
    .join(' ')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-][\d:]+)/g, timeText)
    .replace(/\d{4}-\d\d-\d\d/g, dateText)
    .replace(/\bhttps?:\/\/\S+[^\s.,;:]/g, '…')
    .replace(/(?<=^|\s)[(“"]?(\/[\w-]+)+[)”"]?:?/g, '…')

/** The error of a field of a form. */
interface FieldError {
  /** The name of the field, if the error names one. */
  name: string | undefined
  text: string
}

/** The errors of the fields that a request had. */
export function fieldErrorsOf(error: unknown): FieldError[] {
  if (!(error instanceof ProblemError) || !isReadable(error) || isConflict(error)) return []
  const found = error.errors.map(({ pointer, detail }) => ({
    name: (nameOf.get(error)?.(pointer.split('/').slice(1)) ?? pointer).split('/').at(-1),
    text: inWords(detail)
  }))
  return found.filter(({ text }, at) => text && found.findIndex((each) => each.text === text) === at)
}

/**
 * The error of each entry of a request for several entries; otherwise the errors of the whole
 * request.
 */
export function entryErrorsOf(error: unknown, count: number): (string | undefined)[] {
  const errors = error instanceof ProblemError && isReadable(error) ? error.errors : []
  const texts = Array.from({ length: count }, (_, at) =>
    errors.find(({ pointer }) => pointer.split('/')[1] === String(at))
  )
  if (texts.every((each) => each === undefined)) return texts.map(() => errorText(error))
  return texts.map((each) => each && inWords(each.detail))
}

/** The path of the member that an operation writes, by the segments of a pointer. */
type NameOf = (segments: readonly string[]) => string | undefined
const nameOf = new WeakMap<ProblemError, NameOf>()

/** Throws an error of a JSON Patch with the names of the members that its operations write. */
export const throwNamed = (name: NameOf) => (error: unknown) => {
  if (error instanceof ProblemError) nameOf.set(error, name)
  throw error
}

/** An error, with links to the fields to correct. Screen readers announce it. */
export function ErrorMessage({ error, form }: { error: unknown; form?: HTMLFormElement | null }) {
  if (error === undefined) return null
  const fields = fieldErrorsOf(error)
  const fieldOf = (name = '') => form?.elements.namedItem(name)
  return (
    <div class="bad" role="alert">
      <p>✗ {errorText(error)}</p>
      {fields.length > 0 && (
        <ul>
          {fields.map(({ name, text }) => {
            const field = fieldOf(name)
            return (
              <li key={text}>
                {field instanceof HTMLElement ? (
                  <button type="button" class="link" onClick={() => field.focus()}>
                    {text}
                  </button>
                ) : (
                  text
                )}
              </li>
            )
          })}
        </ul>
      )}
    </div>
  )
}

/** The state of a step. Texts that begin with ✗ are errors, and look like errors. */
export const StatusText = ({ id, text }: { id: string; text: string }) => (
  <p id={id} role="status" class={text.startsWith('✗') ? 'bad' : undefined}>
    {text}
  </p>
)
