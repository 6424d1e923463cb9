import { Refusal } from './api.js'
import { inDanish, say } from './language.js'

/** What the page itself says, by the codes that it makes. */
const own = /** @type {const} */ ({
  'no-token': 'noToken',
  'no-answer': 'noAnswer',
  'odd-answer': 'oddAnswer',
  'unknown-outcome': 'unknownOutcome',
  interrupted: 'interrupted'
})

/**
 * What a problem means for the reader, and what the server said of it where that is in another language or says more.
 * @param {import('./api.js').Problem} problem
 * @returns {{ text: string, original?: string }}
 */
export function wordsOf({ code, title, detail }) {
  const words = [title, detail].filter(Boolean).join('. ')
  if (Object.hasOwn(own, code)) {
    const text = say(own[/** @type {keyof typeof own} */ (code)])
    return words === '' ? { text } : { text, original: words }
  }
  const text = inDanish(code)
  return text === undefined ? { text: words || say('oddAnswer') } : { text, original: words }
}

/** Why something failed, in a sentence.
 * @param {unknown} error
 */
export const whyOf = (error) => wordsOf(problemIn(error)).text

/** The problem in an error; one of the page's own is told like an odd answer.
 * @param {unknown} error
 * @returns {import('./api.js').Problem}
 */
export function problemIn(error) {
  if (error instanceof Refusal) return error.problem
  console.error(error)
  return { code: 'odd-answer' }
}
