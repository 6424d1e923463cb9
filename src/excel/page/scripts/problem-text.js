import { ApiError } from './api.js'
import { danishText, translate } from './language.js'

/** Texts for the codes that the page itself sets. */
const own = /** @type {const} */ ({
  'no-token': 'noToken',
  'no-response': 'noResponse',
  'bad-response': 'badResponse',
  'unknown-outcome': 'unknownOutcome'
})

/**
 * The text for a problem, and the original of the server if that is in another language or says
 * more.
 * @param {import('./api.js').Problem} problem
 * @returns {{ text: string, original?: string }}
 */
export function describeProblem({ code, title, detail }) {
  const words = [title, detail].filter(Boolean).join('. ')
  if (Object.hasOwn(own, code)) {
    const text = translate(own[/** @type {keyof typeof own} */ (code)])
    return words === '' ? { text } : { text, original: words }
  }
  const text = danishText(code)
  return text === undefined ? { text: words || translate('badResponse') } : { text, original: words }
}

/** The text for an error.
 * @param {unknown} error
 */
export const describeError = (error) => describeProblem(toProblem(error)).text

/** The problem of an error. An unexpected error is logged and shown as a bad response.
 * @param {unknown} error
 * @returns {import('./api.js').Problem}
 */
export function toProblem(error) {
  if (error instanceof ApiError) return error.problem
  console.error(error)
  return { code: 'bad-response' }
}
