import { NoResponseError, ProblemError } from '../../clients/typescript/src/index.js'
import { partsText } from './parts-texts.js'
import { NoTokenError } from './token-source.js'

/** The text for an error. The server wrote its part in the language that the page had then. */
export function errorText(error: unknown): string {
  if (error instanceof NoTokenError) return partsText('noToken')
  if (error instanceof NoResponseError && error.status === undefined) return partsText('noResponse')
  if (error instanceof NoResponseError) return `${partsText('badResponse')} (${error.status})`
  if (error instanceof ProblemError) return `${error.problem.title}. ${error.problem.detail}`
  // A fault of the page itself.
  console.error(error)
  return partsText('badResponse')
}

/** An error, with what is to be changed in each field. Screen readers announce it. */
export function ErrorMessage({ error }: { error: unknown }) {
  if (error === undefined) return null
  const fields = error instanceof ProblemError ? error.errors : []
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
