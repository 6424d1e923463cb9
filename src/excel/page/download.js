import { call, whole, workbooks } from './api.js'
import { currentLanguage } from './language.js'

/** Gives the reader a file.
 * @param {Blob} bytes
 * @param {string} name
 */
export function save(bytes, name) {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(bytes)
  link.download = name
  link.click()
  // The browser reads it in its own time.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}

/**
 * Fetches a workbook of the server, which a plain link could not: it would carry no token.
 * @param {string} path
 * @param {string} name
 * @throws {import('./api.js').Refusal}
 */
export async function fetchAndSave(path, name) {
  const url = workbooks(path)
  url.searchParams.set('language', currentLanguage())
  const answer = await call(url, { headers: { accept: '*/*' } })
  save(await whole(answer.blob()), name)
}

/** A name without what file systems do not take, and without its ending.
 * @param {string} name
 */
export const plainName = (name) =>
  name
    .replace(/\.xls[xm]$/i, '')
    .replace(/[^\p{L}\p{N} ._-]+/gu, ' ')
    .trim() || 'catalogue'
