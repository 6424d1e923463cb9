import { NoResponseError, ProblemError } from '../../clients/typescript/src/index.js'
import { access, hasAccess } from './access/access.js'
import { NoTokenError } from './calls.js'
import { inWords } from './in-words.js'
import { type Language, language } from './language.js'
import { partsText } from './parts-texts.js'
import { useStore } from './store.js'

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

/**
 * The text for an error, in the language of the page.
 * @param missing the text for a missing resource.
 */
export function errorText(error: unknown, missing?: string): string {
  const head = headingOf(error, missing)
  if (!(error instanceof ProblemError) || head !== titleOf(error)) return head
  const texts = fieldErrorsOf(error).map(({ text }) => text)
  const details = texts.length > 0 ? new Set(texts) : [inWords(error.problem.detail)]
  return [`${head}.`, ...details].join(' ').trim()
}

/** The first sentence about an error, such as the title of a problem. */
function headingOf(error: unknown, missing = partsText('notFound')): string {
  if (error instanceof NoTokenError) return partsText('noToken')
  if (error instanceof NoResponseError)
    return partsText(error.status === undefined ? 'noResponse' : 'badResponse')
  if (isConflict(error)) return partsText('conflict')
  if (error instanceof ProblemError) {
    if (error.status === 404) return missing
    return isReadable(error) ? titleOf(error) : partsText('otherLanguage')
  }
  // An error of the page itself.
  console.error(error)
  return partsText('badResponse')
}

/** The title of a problem. Users cannot correct the format of a request, only the fields. */
const titleOf = ({ code, errors, problem: { title } }: ProblemError): string =>
  code.startsWith('invalid-') && errors.length > 0 ? partsText('correctFields') : inWords(title) || title

/** The error of a field of a form. */
interface FieldError {
  /** The name of the field, if the error names one. */
  name: string | undefined
  text: string
}

/** The errors of the fields that a request had. */
export function fieldErrorsOf(error: unknown): FieldError[] {
  if (!(error instanceof ProblemError) || !isReadable(error) || isConflict(error)) return []
  return error.errors
    .map(({ pointer, detail }) => ({
      name: (nameOf.get(error)?.(pointer.split('/').slice(1)) ?? pointer).split('/').at(-1),
      text: inWords(detail)
    }))
    .filter(({ text }) => text)
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
  return texts.map((each) => each && (inWords(each.detail) || errorText(error)))
}

/** The path of the member that an operation writes, by the segments of a pointer. */
type NameOf = (segments: readonly string[]) => string | undefined
const nameOf = new WeakMap<ProblemError, NameOf>()

/** Throws an error of a JSON Patch with the names of the members that its operations write. */
export const throwNamed = (name: NameOf) => (error: unknown) => {
  if (error instanceof ProblemError) nameOf.set(error, name)
  throw error
}

interface ErrorMessageProps {
  error: unknown
  form?: HTMLFormElement | null
  /** The text for a missing resource. */
  missing?: string | undefined
}

/** An error, with links to the fields to correct. Screen readers announce it. */
export function ErrorMessage({ error, form, missing }: ErrorMessageProps) {
  const isAccessible = hasAccess(useStore(access.state))
  const isAccess = error instanceof NoTokenError
  if (error === undefined || (isAccess && isAccessible)) return null
  const fields = new Map(
    fieldErrorsOf(error).map(({ name = '', text }) => {
      const field = fieldOf(form, name)
      const labels = field ? labelsOf(field) : []
      return [field ? `${name} ${text}` : text, { field, text: [...labels, text].join(': ') }]
    })
  )
  return (
    <div class="bad" role="alert">
      <p>✗ {fields.size > 0 ? `${headingOf(error, missing)}:` : errorText(error, missing)}</p>
      {isAccess && (
        <button type="button" class="quiet" onClick={({ currentTarget }) => showAccess(currentTarget)}>
          {partsText('goToAccess')}
        </button>
      )}
      {fields.size > 0 && (
        <ul>
          {[...fields].map(([key, { field, text }]) => (
            <li key={key}>
              {field ? (
                <button type="button" class="link" onClick={() => field.focus()}>
                  {text}
                </button>
              ) : (
                text
              )}
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

function fieldOf(form: HTMLFormElement | null | undefined, name: string): HTMLElement | undefined {
  const found = form?.elements.namedItem(name)
  const field = found instanceof RadioNodeList ? found[0] : found
  return field instanceof HTMLElement ? field : undefined
}

/** The visible legend of the group of a field, and the text of the label of the field. */
function labelsOf(field: HTMLElement): string[] {
  const label = field.closest('label')?.firstChild
  const legend = field.closest('fieldset')?.querySelector('legend')
  const labels = label instanceof Text ? [legend?.matches('.hidden') ? undefined : legend, label] : [legend]
  return labels
    .map((each) => (each?.textContent ?? '').replace(` (${partsText('required')})`, ''))
    .filter(Boolean)
}

/** Moves the focus to the section about access, and hides a dialog until there is access. */
function showAccess(button: HTMLElement): void {
  const target = document.querySelector<HTMLElement>('#access-title ~ * :is(input, button)')
  if (!target) return
  button.closest('dialog')?.close()
  target.focus()
}

/** The state of a step. Texts that begin with ✗ are errors, and look like errors. */
export const StatusText = ({ id, text }: { id: string; text: string }) => (
  <p id={id} role="status" class={text.startsWith('✗') ? 'bad' : undefined}>
    {text}
  </p>
)
