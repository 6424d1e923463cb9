import { call, readBody } from './api.js'

/**
 * @typedef {{ id: string, name: string, status: { code: 'DRAFT' | 'ACTIVE' | 'INACTIVE' },
 *   identifiers: { value: string }[] }} Catalogue
 */

/**
 * Lists the catalogues that the caller may see, sorted by name.
 * @returns {Promise<Catalogue[]>}
 */
export async function listCatalogues() {
  /** @type {Catalogue[]} */
  const all = []
  /** @type {string | undefined} */
  let after
  do {
    const url = new URL('/ssl-catalogue/v1/catalogues', import.meta.url)
    if (after !== undefined) url.searchParams.set('after', after)
    const response = await call(url)
    all.push(...(await readBody(response.json())))
    after = nextCursor(response.headers.get('link'))
  } while (after !== undefined)
  return all.sort((one, other) => one.name.localeCompare(other.name))
}

/** @param {string | null} link */
function nextCursor(link) {
  const next = /<([^>]+)>;\s*rel="next"/.exec(link ?? '')?.[1]
  return next === undefined ? undefined : (new URL(next).searchParams.get('after') ?? undefined)
}
