import { listCatalogues } from './catalogues.js'
import { fetchAndSave, plainName } from './download.js'
import { byId, element } from './elements.js'
import { onLanguage, say } from './language.js'
import { statusIn } from './status.js'
import { currentToken, onToken } from './token.js'
import { whyOf } from './words.js'

/** @typedef {import('./catalogues.js').Catalogue} Catalogue */

/**
 * Lets the reader choose between a new catalogue and one of theirs.
 * @param {() => void} changed
 */
export function startTarget(changed) {
  const old = byId('target-old', HTMLInputElement)
  const select = byId('catalogue', HTMLSelectElement)
  const tell = statusIn(byId('catalogue-state', HTMLElement))
  /** @type {Catalogue[]} */
  let catalogues = []

  function draw() {
    const { value } = select
    const choose = element('option', { value: '' }, say('catalogueChoose'))
    select.replaceChildren(choose, ...catalogues.map(option))
    select.value = catalogues.some(({ id }) => id === value) ? value : ''
  }

  async function load() {
    const token = currentToken()
    if (token === undefined) return tell(() => say('cataloguesNeedAccess'))
    tell(() => say('cataloguesLoading'))
    try {
      const found = await listCatalogues()
      // Another caller's list may be under way by now.
      if (token !== currentToken()) return
      const { value } = select
      catalogues = found
      draw()
      tell(() => say(found.length === 0 ? 'cataloguesNone' : 'cataloguesThere', { count: found.length }))
      if (select.value !== value) changed()
    } catch (error) {
      tell(() => say('cataloguesFailed', { why: whyOf(error) }))
    }
  }

  for (const id of ['target-new', 'target-old'])
    byId(id, HTMLInputElement).addEventListener('change', () => {
      byId('old', HTMLElement).hidden = !old.checked
      changed()
    })
  select.addEventListener('change', changed)
  onLanguage(draw)
  onToken(load)
  startDownloads(() => catalogues.find(({ id }) => id === select.value))
  void load()

  return {
    load,
    /** Whether it is known what the workbook is for. */
    isChosen: () => !old.checked || select.value !== '',
    /** The catalogue that is updated; none for a new one. */
    id: () => (old.checked ? select.value : undefined)
  }
}

/** @param {Catalogue} catalogue */
function option({ id, name, status, identifiers }) {
  const known = [name, ...identifiers.slice(0, 1).map(({ value }) => value), status.code]
  return element('option', { value: id }, known.join(' – '))
}

/** @param {() => Catalogue | undefined} chosen */
function startDownloads(chosen) {
  const tell = statusIn(byId('download-state', HTMLElement))
  byId('template', HTMLButtonElement).addEventListener('click', () =>
    download('template', `${say('templateName')}.xlsx`, tell)
  )
  byId('export', HTMLButtonElement).addEventListener('click', () => {
    const catalogue = chosen()
    if (!catalogue) return tell(() => say('exportWhich'))
    return download(`catalogue/${catalogue.id}`, `${plainName(catalogue.name)}.xlsx`, tell)
  })
}

/**
 * Downloads a workbook of the server, and says so.
 * @param {string} path
 * @param {string} name
 * @param {(words: () => string) => void} tell
 */
export async function download(path, name, tell) {
  tell(() => say('downloading'))
  try {
    await fetchAndSave(path, name)
    tell(() => say('downloaded', { name }))
  } catch (error) {
    tell(() => say('downloadFailed', { why: whyOf(error) }))
  }
}
