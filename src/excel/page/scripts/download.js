import { apiUrl, call, readBody } from './api.js'
import { currentLanguage } from './language.js'

/** Saves a file through the browser.
 * @param {Blob} bytes
 * @param {string} name
 */
export function save(bytes, name) {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(bytes)
  link.download = name
  link.click()
  // The browser reads the blob asynchronously.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}

/**
 * Fetches and saves a workbook. A plain link would not send the token.
 * @param {string} path
 * @param {string} name
 * @throws {import('./api.js').ApiError}
 */
export async function downloadWorkbook(path, name) {
  const url = apiUrl(path)
  url.searchParams.set('language', currentLanguage())
  const response = await call(url, { headers: { accept: '*/*' } })
  save(await readBody(response.blob()), name)
}

/** A file name without forbidden characters and without its extension.
 * @param {string} name
 */
export const safeFileName = (name) =>
  name
    .replace(/\.xls[xm]$/i, '')
    .replace(/[^\p{L}\p{N} ._-]+/gu, ' ')
    .trim() || 'catalogue'
