import { NoResponseError, ProblemError } from '../../clients/typescript/src/index.js'
import { NoTokenError } from './calls.js'
import { type Language, language } from './language.js'
import { partsText } from './parts-texts.js'

/** The language in which the server wrote problems: that of the page when it showed them. */
const languages = new WeakMap<ProblemError, Language>()

function isReadable(problem: ProblemError): boolean {
  if (!languages.has(problem)) languages.set(problem, language.get())
  return languages.get(problem) === language.get()
}

/** Whether a change was refused because another user changed the same resource in the meantime. */
export const isConflict = (error: unknown): boolean =>
  error instanceof ProblemError && ['precondition-failed', 'failed-test'].includes(error.code)

/** The text for an error, in the language of the page. */
export function errorText(error: unknown): string {
  if (error instanceof NoTokenError) return partsText('noToken')
  if (error instanceof NoResponseError && error.status === undefined) return partsText('noResponse')
  if (error instanceof NoResponseError) return `${partsText('badResponse')} (${error.status})`
  if (isConflict(error)) return partsText('conflict')
  if (error instanceof ProblemError)
    return isReadable(error) ? `${error.problem.title}. ${error.problem.detail}` : partsText('otherLanguage')
  // A fault of the page itself.
  console.error(error)
  return partsText('badResponse')
}

/** An error, with what is to be changed in each field. Screen readers announce it. */
export function ErrorMessage({ error }: { error: unknown }) {
  if (error === undefined) return null
  const fields = error instanceof ProblemError && isReadable(error) ? error.errors : []
  return (
    <div class="bad" role="alert">
      <p>✗ {errorText(error)}</p>
      {fields.length > 0 && (
        <ul>
          {fields.map(({ pointer, detail }) => (
            <li key={pointer + detail}>{detail}</li>
          ))}
        </ul>
      )}
    </div>
  )
}

/** What a step waits for or did. Texts that begin with ✗ are errors, and look like them. */
export const StatusText = ({ id, text }: { id: string; text: string }) => (
  <p id={id} role="status" class={text.startsWith('✗') ? 'bad' : undefined}>
    {text}
  </p>
)
