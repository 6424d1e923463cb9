import { apiUrl, call, readBody } from './api.js'

/** @typedef {import('../../../catalogue/history/history.schemas.js').HistoryEntry} HistoryEntry */

/** Imports that are shown. */
const MAX_ENTRIES = 50

/**
 * Lists the newest imports of a catalogue, newest first.
 * @param {string} address URL of the catalogue.
 * @returns {Promise<HistoryEntry[]>}
 */
export async function listImports(address) {
  const url = apiUrl('imports')
  url.searchParams.set('catalogue', address)
  url.searchParams.set('limit', String(MAX_ENTRIES))
  return readBody((await call(url)).json())
}

/** @param {string} id @throws {import('./api.js').ApiError} */
export const undoImport = async (id) => {
  await call(apiUrl(`import/${encodeURIComponent(id)}/undo`), { method: 'POST' })
}
