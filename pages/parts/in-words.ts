import { partsText, wordText } from './parts-texts.js'
import { dateText, timeText } from './texts.js'

/**
 * A text of the server for users: removes pointers and sentences about JSON, and replaces codes and
 * members with words and dates with local dates.
 */
export const inWords = (text: string): string =>
  text
    .replace(/^(\/[\w-]+)+: /, '')
    .split(/(?<=[.!?]) /)
    .filter((sentence) => !/JSON|\bPATCH\b|`/.test(sentence))
    .join(' ')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-][\d:]+)/g, timeText)
    .replace(/\d{4}-\d\d-\d\d/g, dateText)
    .replace(/\bhttps?:\/\/\S+[^\s.,;:]/g, '…')
    .replace(/(?<=^|\s)[(“"]?(\/[\w-]+)+[)”"]?:?/g, '…')
    .replace(/\b(a )?(?:access )?tokens?\b/gi, accessKeyFor)
    .replace(/\b[A-Za-z]+\b/g, (found) => {
      const word = wordText(found)
      return word ? partsText('quotedWord', { word }) : found
    })

/** The words for a token, with the article and the first letter of the text that they replace. */
function accessKeyFor(found: string, article?: string): string {
  const text = partsText(found.endsWith('s') ? 'keys' : article ? 'anAccessKey' : 'accessKey')
  return /^[A-Z]/.test(found) ? text.charAt(0).toUpperCase() + text.slice(1) : text
}
