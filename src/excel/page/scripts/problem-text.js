import { ApiError } from './api.js'
import { translate } from './language.js'

/** Texts for the codes that the page itself sets. */
const own = /** @type {const} */ ({
  'no-token': 'noToken',
  'no-response': 'noResponse',
  'bad-response': 'badResponse',
  'unknown-outcome': 'unknownOutcome'
})

/**
 * The text for a problem. The server's text is in the language that the page had at the request.
 * @param {import('./api.js').Problem} problem
 */
export function describeProblem({ code, title, detail }) {
  const words = [title, detail].filter(Boolean).join('. ')
  if (!Object.hasOwn(own, code)) return words || translate('badResponse')
  return `${translate(own[/** @type {keyof typeof own} */ (code)])} ${words}`.trim()
}

/** The text for an error.
 * @param {unknown} error
 */
export const describeError = (error) => describeProblem(toProblem(error))

/** The problem of an error. An unexpected error is logged and shown as a bad response.
 * @param {unknown} error
 * @returns {import('./api.js').Problem}
 */
export function toProblem(error) {
  if (error instanceof ApiError) return error.problem
  console.error(error)
  return { code: 'bad-response' }
}
