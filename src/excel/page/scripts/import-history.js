import { apiUrl, call, lastSegment, readBody } from './api.js'

/**
 * @typedef {import('../../../catalogue/history/history.schemas.js').HistoryEntry} HistoryEntry
 * @typedef {{ code: string, detail: string, resource: string | null }} Obstacle
 */

/** Imports that are shown. */
const MAX_ENTRIES = 50
/** Items of obstacles whose names are shown. */
const MAX_NAMES = 10

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

/**
 * The names of the first items that stand against an undo, by their URLs.
 * @param {readonly Obstacle[]} obstacles
 * @returns {Promise<Map<string, string>>}
 */
export async function namesOf(obstacles) {
  const urls = obstacles.flatMap(({ resource }) => (resource?.includes('/catalogue-item/') ? [resource] : []))
  /** @type {Map<string, string>} */
  const names = new Map()
  for (const url of new Set(urls.slice(0, MAX_NAMES))) {
    const path = new URL(`/ssl-catalogue/v1/catalogue-item/${lastSegment(url)}`, import.meta.url)
    names.set(url, (await readBody((await call(path)).json())).name)
  }
  return names
}
