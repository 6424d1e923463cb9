import { apiUrl, call, readBody, XLSX_MEDIA_TYPE } from './api.js'
import { currentLanguage } from './language.js'

/**
 * @typedef {{ name: string, bytes: Blob }} Workbook a snapshot of the chosen file.
 * @typedef {import('../../schemas.js').ImportResult} Report
 */

/**
 * Checks or imports a workbook.
 * @param {Workbook} workbook
 * @param {string | undefined} id the catalogue to update; undefined creates a new one.
 * @param {{ dryRun: boolean, confirm: boolean }} options
 * @returns {Promise<Report>}
 * @throws {import('./api.js').ApiError}
 */
export const upload = async (workbook, id, options) =>
  readBody((await send(workbook, id, options, {})).json())

/**
 * Fetches the workbook with its faults marked; undefined if it has none.
 * @param {Workbook} workbook
 * @param {string | undefined} id
 * @returns {Promise<Blob | undefined>}
 * @throws {import('./api.js').ApiError}
 */
export async function fetchMarked(workbook, id) {
  try {
    await send(workbook, id, { dryRun: true, confirm: false }, { accept: XLSX_MEDIA_TYPE })
    return undefined
  } catch (error) {
    const { response } = /** @type {import('./api.js').ApiError} */ (error)
    if (response?.status === 422 && response.headers.get('content-type')?.startsWith(XLSX_MEDIA_TYPE))
      return await readBody(response.blob())
    throw error
  }
}

/**
 * @param {Workbook} workbook
 * @param {string | undefined} id
 * @param {{ dryRun: boolean, confirm: boolean }} options
 * @param {Record<string, string>} headers
 */
function send({ name, bytes }, id, { dryRun, confirm }, headers) {
  const body = new FormData()
  body.append('file', bytes, name)
  const url = apiUrl(id === undefined ? 'catalogue' : `catalogue/${encodeURIComponent(id)}`)
  url.searchParams.set('language', currentLanguage())
  if (confirm && id !== undefined) url.searchParams.set('confirm', 'true')
  url.searchParams.set('dryRun', String(dryRun))
  return call(url, { method: id === undefined ? 'POST' : 'PUT', headers, body })
}
